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
/// Once a file system refuses a read, that read and all later ones are left to the lanes through the page cache. So are reads
/// while descriptors or memory are short.
///
/// Calls that wait for the disk are made on the library's threads. A short read is begun on its caller's thread, and the kernel
/// does it by itself (``KernelReads``). To begin, a file system may read where the blocks are, if it does not know that yet.
final class DirectLane: FileLane {
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

  private let context: LaneContext
  private let begin: KernelReads.Begin?
  private let counters: LaneCounters
  private let opened = PublishedOnce<Direct>()
  private let unused = Locked(Unused())
  private let isRefused = Atomic<Bool>(false)
  /// The kernel does not begin reads of this file.
  private let needsThreads = Atomic<Bool>(false)

  /// - Parameter begin: begins reads that need no thread.
  init(_ context: LaneContext, begin: KernelReads.Begin?, counters: LaneCounters) {
    self.context = context
    self.begin = begin
    self.counters = counters
  }

  var name: LaneName { .direct }

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

  func close() async throws {
    for file in unused.withLock({ $0.files }) { try await file.closed() }
    try await opened.value?.file.closed()
  }

  /// Opens the descriptor if it is not open; `nil` if it cannot be had, for good or at the moment.
  private func open() -> Direct? {
    if let opened = opened.value { return opened }
    guard isAvailable else { return nil }
    let (file, syscalls) = (context.file, context.file.syscalls)
    let descriptor = syscalls.call.reopenDirect(file.descriptor)
    guard descriptor >= 0 else {
      // What is short now, descriptors or memory, may be there for the next read.
      if !Self.isShortage(Errno(result: descriptor)) { refuse() }
      return nil
    }
    let new = OpenFile(descriptor: CInt(descriptor), syscalls: syscalls, name: file.name)
    new.locate()
    if new.isRemote { new.isServed(by: context.threads) }
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

  /// True for answers of a file system, or a sandbox, that does not know such reads, or wants them aligned otherwise.
  private static func isRefusal(_ errno: Errno) -> Bool {
    [.invalidArgument, .notSupported, .notSupportedOnSocket, .noFunction, .notPermitted].contains(errno)
  }

  private static func isShortage(_ errno: Errno) -> Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .interrupted].contains(errno)
  }

  func fill(_ reads: inout [FileRead]) async throws {
    guard isAvailable else { return }
    if let begin, let direct = opened.value, !direct.file.isRemote, !needsThreads.load(ordering: .relaxed) {
      try await fill(&reads, by: begin, direct)
      if reads.allSatisfy(\.isWhole) { return }
    }
    try await context.fill(&reads) { [self] read, goOn in
      guard let opened = open() else { return }
      do {
        try fill(&read, opened.file, opened.alignment, goOn)
      } catch let error as Errno {
        guard Self.isRefusal(error) else { throw error }
        refuse()
      }
    }
  }

  /// Fills `reads`, if all of them are short, at once and without a thread for each. What does not come as a whole, for whatever
  /// reason, is left to threads; so are prefetches, which wait there for demands.
  private func fill(_ reads: inout [FileRead], by begin: KernelReads.Begin, _ direct: Direct) async throws {
    // Long ones would have to wait for these.
    guard ReadUrgency.current?.isPrefetch != true, reads.allSatisfy({ $0.rest <= LaneThreshold.maxBegunBytes }) else {
      return
    }
    var begun: [(index: Int, place: Place, read: KernelReads.Read)] = []
    defer { for (_, _, read) in begun { read.answer.fail(CancellationError()) } }
    for index in reads.indices where !reads[index].isWhole {
      try context.work.goOn()
      guard let place = try place(for: &reads[index], direct.alignment) else { continue }
      let read = KernelReads.Read(keeping: (direct, place), within: context.work.gate, context.threads)
      let result = begin(direct.file.descriptor, place.buffer.memory, place.offset, read)
      guard result < 0 else {
        begun.append((index, place, read))
        continue
      }
      read.ended(result)
      guard Self.isRefusal(Errno(result: result)) else { continue }
      needsThreads.store(true, ordering: .relaxed)
      break
    }
    for (index, place, read) in begun {
      let count = try await context.work.waiting.wait(for: read.answer)
      let range = reads[index].range
      guard count >= place.skipped + range.count else { continue }
      let wanted = WritableBytes(
        owner: place.buffer.owner, base: place.buffer.base + place.skipped, capacity: range.count)
      reads[index].take(wanted, filled: range.count)
    }
  }

  /// Memory for the blocks around a read, and where they are.
  private struct Place {
    let buffer: WritableBytes
    let offset: Int
    /// The bytes before the range.
    let skipped: Int
  }

  /// - Returns: `nil` if the read has memory that is not aligned, or of several parts.
  private func place(for read: inout FileRead, _ alignment: DirectAlignment) throws(ReadError) -> Place? {
    let span = alignment.around(read.range)
    guard read.blocks != nil else {
      let buffer = try alignment.buffer(span.count, context.pool)
      return Place(buffer: buffer, offset: span.lowerBound, skipped: read.range.lowerBound - span.lowerBound)
    }
    try read.allocate(from: context.pool)
    guard case .one(let buffer) = read.buffers, span == read.range, alignment.isAligned(buffer.base) else { return nil }
    return Place(buffer: buffer, offset: span.lowerBound, skipped: 0)
  }

  private func fill(
    _ read: inout FileRead, _ direct: OpenFile, _ alignment: DirectAlignment, _ goOn: () throws -> Void
  ) throws {
    let range = read.range
    guard read.blocks == nil else {
      try read.allocate(from: context.pool)
      read.filled = try fill(read.buffers?.all ?? [], from: range.lowerBound, direct, alignment, goOn)
      return
    }
    let span = alignment.around(range)
    let buffer = try alignment.buffer(span.count, context.pool)
    let skipped = range.lowerBound - span.lowerBound
    let filled = try fill(.one(buffer), upTo: span.count, from: span.lowerBound, direct, alignment, goOn) - skipped
    let wanted = WritableBytes(owner: buffer.owner, base: buffer.base + skipped, capacity: range.count)
    read.take(wanted, filled: max(0, min(filled, range.count)))
  }

  /// Fills buffers without a copy if all of them are aligned, but for the end of the last one.
  private func fill(
    _ buffers: [WritableBytes], from lower: Int, _ direct: OpenFile, _ alignment: DirectAlignment,
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
    guard let buffer = try? alignment.buffer(alignment.around(0..<wanted).upperBound, context.pool) else { return 0 }
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
    try fillInPieces(to: end ?? buffers.byteCount, ofAtMost: LaneThreshold.waitingPiece, goOn) { filled, end in
      try buffers.fill(
        after: filled, upTo: end, from: lower, of: direct.descriptor, direct.syscalls, inMultiplesOf: alignment.step)
    }
  }
}
