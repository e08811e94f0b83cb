import CRangeIOSystem
import Synchronization
import SystemPackage

extension DirectAlignment {
  /// A read that stops early goes on at multiples of this: both in the file and in memory.
  var step: Int { max(memory, offset) }

  /// Allocates aligned memory for `count` bytes.
  func buffer(_ count: Int, _ pool: BufferPool) throws(ReadError) -> WritableBytes {
    let whole = try pool.buffer(count)
    if isAligned(whole.base) { return whole }
    let larger = try pool.buffer(count + memory - 1)
    let base = larger.base.alignedUp(toMultipleOf: memory)
    return WritableBytes(owner: larger.owner, base: base, capacity: count)
  }
}

/// Reads that bypass the page cache (`O_DIRECT`; `F_NOCACHE` on Apple platforms), on a descriptor of their own.
///
/// Reads are widened to what the file system wants: bytes before and after the range are read too, and not returned.
/// What a file system refuses is read through the page cache, and so is everything from then on. While descriptors or memory are
/// short, so is what is read then.
///
/// All calls may wait for the disk: they are made on the library's threads.
final class DirectLane: Sendable {
  private final class Direct: Sendable {
    let file: OpenFile
    let alignment: DirectAlignment

    init(_ file: OpenFile, _ alignment: DirectAlignment) {
      self.file = file
      self.alignment = alignment
    }
  }

  /// Descriptors that serve no read. They stay open as long as the file: closing one releases the process's record locks on
  /// the file (fcntl(2)), and the program may hold some.
  private struct Unused {
    var files: [OpenFile] = []
    var isReleased = false
  }

  private let file: OpenFile
  private let threads: IOThreads
  private let counters: LaneCounters
  private let opened = PublishedOnce<Direct>()
  private let unused = Locked(Unused())
  private let isRefused = Atomic<Bool>(false)

  init(_ file: OpenFile, threads: IOThreads, counters: LaneCounters) {
    self.file = file
    self.threads = threads
    self.counters = counters
  }

  /// `false` once the file's system has refused it.
  var isAvailable: Bool { !isRefused.load(ordering: .relaxed) }

  /// Makes the descriptor refer to an empty file, as ``OpenFile/release()`` does.
  func release() {
    let files = unused.withLock { unused in
      unused.isReleased = true
      return unused.files
    }
    for file in files { file.release() }
    opened.value?.file.release()
  }

  /// Closes the descriptor. The gate must be drained.
  func closed() async throws {
    for file in unused.withLock({ $0.files }) { try await file.closed() }
    try await opened.value?.file.closed()
  }

  /// Opens the descriptor if it is not open; `nil` if it cannot be had, for good or at the moment.
  private func open() -> Direct? {
    if let opened = opened.value { return opened }
    guard isAvailable else { return nil }
    let syscalls = file.syscalls
    let descriptor = syscalls.call.reopenDirect(file.descriptor)
    guard descriptor >= 0 else {
      // What is short now, descriptors or memory, may be there for the next read.
      if !Self.isShortage(Errno(result: descriptor)) { refuse() }
      return nil
    }
    let new = OpenFile(descriptor: CInt(descriptor), syscalls: syscalls, name: file.name)
    new.locate()
    if new.isRemote { new.isServed(by: threads) }
    guard let alignment = syscalls.call.directAlignment(new.descriptor) else {
      refuse()
      keep(new)
      return nil
    }
    // Of two threads that open it at the same time the first wins.
    let direct = opened.publish(Direct(new, alignment))
    if direct.file !== new { keep(new) } else if unused.withLock({ $0.isReleased }) { new.release() }
    return direct
  }

  private func keep(_ file: OpenFile) {
    let isReleased = unused.withLock { unused in
      unused.files.append(file)
      return unused.isReleased
    }
    if isReleased { file.release() }
  }

  /// From now on everything is read through the page cache. An open descriptor stays until the file is closed: others
  /// may read from it now.
  private func refuse() {
    if !isRefused.exchange(true, ordering: .relaxed) { counters.refusedDirect() }
  }

  /// What a file system, or a sandbox, answers that does not know such reads, or wants them aligned otherwise.
  private static func isRefusal(_ errno: Errno) -> Bool {
    [.invalidArgument, .notSupported, .notSupportedOnSocket, .noFunction, .notPermitted].contains(errno)
  }

  private static func isShortage(_ errno: Errno) -> Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .interrupted].contains(errno)
  }

  /// Does `read`, and counts its bytes. Returns 0 if the file's system refuses.
  private func attempt(_ wanted: Int, _ read: () throws -> Int) throws -> Int {
    do {
      let count = max(0, min(try read(), wanted))
      counters.add(count, to: .direct)
      return count
    } catch let error as Errno {
      guard Self.isRefusal(error) else { throw error }
      refuse()
      return 0
    }
  }

  /// The same as ``fillInPieces(from:to:ofAtMost:_:_:)``, with the bytes of one call that waits.
  private func inPieces(
    from start: Int, to end: Int, _ goOn: () throws -> Void, _ fill: (_ filled: Int, _ end: Int) throws -> Int
  ) throws -> Int {
    try fillInPieces(from: start, to: end, ofAtMost: LaneThreshold.waitingPiece, goOn, fill)
  }

  /// Reads `range`. Returns fewer bytes only at the end of the file.
  ///
  /// - Parameter goOn: called between pieces; throws if nothing waits for the read any more.
  func read(_ range: ByteRange, _ pool: BufferPool, _ goOn: () throws -> Void) throws -> Bytes {
    let opened = open()
    let span = opened?.alignment.around(range) ?? range
    let buffer = try opened?.alignment.buffer(span.count, pool) ?? pool.buffer(range.count)
    let skipped = range.lowerBound - span.lowerBound
    var count = 0
    if let opened {
      count = try attempt(range.count) {
        try fill(ReadBuffers.one(buffer), upTo: span.count, from: span.lowerBound, opened.file, opened.alignment, goOn)
          - skipped
      }
    }
    if count < range.count {
      // The end of the file, or a refusal.
      let before = count
      count = try inPieces(from: count, to: range.count, goOn) { filled, end in
        let part = UnsafeMutableRawBufferPointer(start: buffer.base + skipped + filled, count: end - filled)
        return try filled + file.syscalls.readFully(file.descriptor, part, at: range.lowerBound + filled)
      }
      counters.add(count - before, to: .positional)
    }
    return buffer.bytes(skipped + count).slice(skipped..<skipped + count)
  }

  /// Reads `range` into `buffers`. Returns the number of bytes, fewer than asked only at the end of the file.
  func read(
    _ range: ByteRange, into buffers: ReadBuffers, _ pool: BufferPool, _ goOn: () throws -> Void
  ) throws -> Int {
    var count = 0
    if let opened = open() {
      count = try attempt(range.count) {
        try fill(buffers.all, from: range.lowerBound, opened.file, opened.alignment, pool, goOn)
      }
    }
    guard count < range.count else { return count }
    let all = try inPieces(from: count, to: range.count, goOn) { filled, end in
      try buffers.fill(after: filled, upTo: end, from: range.lowerBound, of: file.descriptor, file.syscalls)
    }
    counters.add(all - count, to: .positional)
    return all
  }

  /// Fills buffers without a copy if all of them are aligned, but for the end of the last one.
  private func fill(
    _ buffers: [WritableBytes], from lower: Int, _ direct: OpenFile, _ alignment: DirectAlignment, _ pool: BufferPool,
    _ goOn: () throws -> Void
  ) throws -> Int {
    guard let last = buffers.last else { return 0 }
    let areAligned =
      lower % alignment.offset == 0
      && buffers.dropLast().allSatisfy { $0.capacity % alignment.step == 0 && alignment.isAligned($0.base) }
    let isLastAligned = last.capacity % alignment.offset == 0 && alignment.isAligned(last.base)
    // No memory for a detour: 0 bytes, and the page cache gets them.
    if areAligned, isLastAligned {
      return try fill(ReadBuffers.several(buffers), from: lower, direct, alignment, goOn)
    }
    let detour = areAligned ? [last] : buffers
    let skipped = areAligned ? 0 : lower % alignment.offset
    let wanted = detour.reduce(skipped) { $0 + $1.capacity }
    // `try?`: without memory for a detour the page cache takes it.
    guard let buffer = try? alignment.buffer(alignment.around(0..<wanted).upperBound, pool) else { return 0 }
    let before = areAligned ? Array(buffers.dropLast()) : []
    let filled = try fill(.several(before + [buffer]), from: lower - skipped, direct, alignment, goOn)
    var taken = before.reduce(0) { $0 + $1.capacity }
    var source = buffer.filled(max(0, filled - taken)).dropFirst(skipped)
    for target in detour where !source.isEmpty {
      let part = source.prefix(target.capacity)
      target.memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
      source = source.dropFirst(part.count)
      taken += part.count
    }
    return min(taken, filled)
  }

  private func fill(
    _ buffers: ReadBuffers, upTo end: Int? = nil, from lower: Int, _ direct: OpenFile, _ alignment: DirectAlignment,
    _ goOn: () throws -> Void
  ) throws -> Int {
    try inPieces(from: 0, to: end ?? buffers.byteCount, goOn) { filled, end in
      try buffers.fill(
        after: filled, upTo: end, from: lower, of: direct.descriptor, direct.syscalls, inMultiplesOf: alignment.step)
    }
  }
}
