internal import CRangeIOExecutor
public import RangeIO
internal import Synchronization
public import SystemPackage

/// Reads a file on the thread of the task that asks, if that is a thread of a ``ReadingExecutor``: the thread waits for the
/// disk itself. On any other thread it reads as `FileSource` does.
///
/// ```swift
/// let reader = try await RangeReader(InPlaceSource("/data/index.bin"))
/// let page = try await withTaskExecutorPreference(executor) { try await reader.read(0..<4096) }
/// ```
///
/// A lone read of a fast device (15 to 100 µs) is polled for at most twice its usual latency: the thread does not sleep
/// meanwhile.
///
/// Reads of one range of at most 256 KiB are done in place. The library's own threads do all others: longer ranges,
/// streams, several ranges at once, prefetches, and reads of a file on a server. These gain more from several reads at
/// a time than a wake-up costs.
///
/// **Cancelling.** A read in place ends when the disk answers. Neither cancelling its task nor closing its reader ends
/// it earlier, and an actor that reads in place is busy until then. If a disk hangs, the tasks that read it hang. If
/// they take all threads, the executor hangs too.
///
/// **Versions** are checked after each read, as `FileSource` does: with another size or modification time, reads throw
/// `ReadError.Code.sourceChanged`.
public final class InPlaceSource: RangeSource {
  private let file: FileSource
  private let reads = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)
  private let lone = LoneReads()
  private let looks: Bool

  /// The longest range that is read in place, in bytes.
  private static let maxByteCount = 256 * 1024
  /// The longest read that the system begins as a whole when it is asked for what it has.
  private static let maxBegunBytes = 64 * 1024

  /// The file at `path`. The first use opens it, not this initializer. The parameters are those of `FileSource`.
  public convenience init(
    _ path: String, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
    cost: SourceDescription.Cost = SourceDescription.Cost()
  ) {
    self.init(FileSource(path, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost))
  }

  /// The file at `path`. The first use opens it, not this initializer. The parameters are those of `FileSource`.
  public convenience init(
    _ path: FilePath, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
    cost: SourceDescription.Cost = SourceDescription.Cost()
  ) {
    self.init(FileSource(path, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost))
  }

  /// - Parameter looks: `true` if lone reads may be polled. Without that, all of them wait in place.
  init(_ file: FileSource, looks: Bool = true) {
    self.file = file
    self.looks = looks
  }

  /// Opens the file if it is not open, and returns what it is now.
  ///
  /// - Throws: as `FileSource.describe()`.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription { try await file.describe() }

  /// The file that the path leads to now: if it is another one than the open file, reads that one from now on.
  ///
  /// - Throws: as `FileSource.renew()`.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription { try await file.renew() }

  /// Returns when the file may have changed, as `FileSource` does.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try await file.waitForChange(after: source)
  }

  /// The bytes of `range`.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted` or `closed`; `CancellationError` if the
  ///   task was cancelled before the read.
  /// - Complexity: in place, one allocation and two system calls, of which `pread` waits for the disk.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    guard Self.isInPlace(range.count) else { return try await file.read(range, of: source) }
    var begun: Int64?
    if let bytes = look(for: range, of: source, &begun) { return bytes }
    return try await inPlace(range, of: source, begun) { descriptor in
      try Self.bytes(range, descriptor, source)
    }
  }

  /// The bytes of several ranges. Ranges without a gap between them, such as blocks of a cache, are read in place like
  /// one range. Otherwise the library's own threads read them at the same time.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    guard let range = Self.whole(ranges), Self.isInPlace(range.count) else {
      return try await file.read(ranges, of: source)
    }
    var begun: Int64?
    if ranges.count == 1, let bytes = look(for: range, of: source, &begun) { return [bytes] }
    return try await inPlace(range, of: source, begun) { descriptor in
      try ranges.map { try Self.bytes($0, descriptor, source) }
    }
  }

  /// The range that `ranges` make up, if they follow each other without a gap and none is empty.
  private static func whole(_ ranges: [ByteRange]) -> ByteRange? {
    guard var whole = ranges.first, !whole.isEmpty else { return nil }
    for range in ranges.dropFirst() {
      guard range.lowerBound == whole.upperBound, !range.isEmpty else { return nil }
      whole = whole.lowerBound..<range.upperBound
    }
    return whole
  }

  /// On a thread of an executor `later`: the read that follows asks the system once for all. On any other thread what
  /// `FileSource` has at once.
  public func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    Self.isInPlace(range.count) ? .later : file.answer(range, of: source)
  }

  /// The counts of `FileSource`, and the reads and bytes `inPlace`. Lone reads that polling brought count as
  /// `resident`.
  public func statistics() -> [Counters] {
    [
      Counters(
        "inPlace", counts: ["reads": reads.load(ordering: .relaxed), "bytes": bytes.load(ordering: .relaxed)])
    ] + file.statistics()
  }

  /// Passes the advice to the system.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    file.advise(advice, range, of: source)
  }

  /// Closes the file, once no read in place waits for the disk any more.
  public nonisolated(nonsending) func close() async { await file.close() }

  // MARK: reading in place

  /// Polls for the bytes of a lone read until the disk has brought them: the first poll begins the read (preadv2(2),
  /// `RWF_NOWAIT`). `nil` if the thread must wait for them, which also shows any error; `begun` is then the time of the
  /// first poll, if there was one.
  private func look(for range: ByteRange, of source: SourceDescription, _ begun: inout Int64?) -> Bytes? {
    guard looks, range.count <= Self.maxBegunBytes, let worker = ReadingExecutor.Worker.current, worker.isAlone,
      !Task.isCancelled, case let patience = lone.patience(), patience > 0
    else { return nil }
    let start = rie_now_ns()
    if case .here(let resident) = file.answer(range, of: source) { return resident }
    begun = start
    while rie_now_ns() - start < patience {
      // Interrupted: that says nothing about the disk.
      guard worker.isAlone, !Task.isCancelled else { return nil }
      guard case .here(let found) = file.answer(range, of: source) else { continue }
      lone.took(rie_now_ns() - start)
      lone.looked(found: true)
      return found
    }
    lone.looked(found: false)
    return nil
  }

  private static func isInPlace(_ count: Int) -> Bool {
    count <= maxByteCount && ReadingExecutor.Worker.current != nil
  }

  /// - Parameter begun: when the read began, if it was polled before.
  private func inPlace<Value: Sendable>(
    _ range: ByteRange, of source: SourceDescription, _ begun: Int64?,
    _ read: @escaping @Sendable (FileDescriptor) throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let value = try await file.withDescriptor(of: source, for: range, mayBlock: false) { descriptor in
      // A file on a server is read on a thread of the library.
      guard let worker = ReadingExecutor.Worker.current else { return try read(descriptor) }
      guard range.count <= Self.maxBegunBytes, worker.isAlone else {
        return try worker.waiting { try read(descriptor) }
      }
      let start = begun ?? rie_now_ns()
      let value = try worker.waiting { try read(descriptor) }
      self.lone.took(rie_now_ns() - start)
      return value
    }
    reads.wrappingAdd(1, ordering: .relaxed)
    bytes.wrappingAdd(range.count, ordering: .relaxed)
    if let worker = ReadingExecutor.Worker.current, worker.isSliceOver { await Task.yield() }
    return value
  }

  private static func bytes(
    _ range: ByteRange, _ descriptor: FileDescriptor, _ source: SourceDescription
  ) throws -> Bytes {
    try Bytes(count: range.count) { buffer in
      var filled = 0
      while filled < range.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let count = try descriptor.read(fromAbsoluteOffset: Int64(range.lowerBound + filled), into: rest)
        guard count > 0 else {
          throw ReadError(
            .sourceChanged,
            "the file ended \(range.count - filled) bytes early since it was opened: open it again to read the new version",
            source: source.name, range: range)
        }
        filled += count
      }
    }
  }
}
