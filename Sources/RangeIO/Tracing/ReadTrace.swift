public import SystemPackage

/// Records which ranges a program reads, in a file that `rangeio replay` reads: so you can judge caches by your own
/// reads.
///
/// ```swift
/// let trace = try await ReadTrace("reads.rrt")
/// let reader = try await RangeReader(
///   FileSource("/data/survey.bin"), [.observing(Observing(trace: trace)), .caching(MemoryStore(limit: .mebibytes(256)))])
/// …
/// await reader.close()
/// try await trace.close()
/// ```
///
/// The file has offsets and lengths, and nothing else: no bytes, no names, no times. It takes some two to eight bytes
/// per read. Format: `Docs/Formats/ReadTrace.md`.
///
/// **Several sources** can be in one trace, by one ``Observing`` in several pipelines or by several. Each version of a
/// source has its own terabyte of the trace's address space; a trace tells 4,096 of them apart.
///
/// **Cost.** A read appends 16 bytes to a buffer, under a lock: about 30 ns, no allocation. A separate thread writes the
/// file. One read in some thousands, or one a second, wakes it. If the disk is slower than the reads, up to 8,192 wait,
/// and further ones are left out and counted. If the disk fails, recording ends, reads go on, and ``close()`` throws.
///
/// **After a kill** the file is a trace of all but the last second of reads, as long as reads go on. Nothing is forced to
/// disk, so after a crash of the machine more may be missing.
public final class ReadTrace: Sendable {
  private let buffer = Locked(TraceBuffer())
  private let places = Locked(TracePlaces())
  private let file: Locked<TraceFile>
  /// An empty array of the size of the buffer's.
  private let spare = Locked(TraceBuffer.emptyReads())
  private let work: DiskWork

  /// Creates the file at `path`, which must not exist. Only its owner can read it.
  ///
  /// A relative path starts from the current directory; `~` is the home directory.
  ///
  /// - Throws: `ReadError` with `notFound` for a missing directory, `unsupportedSource` if there is a file of that name,
  ///   `permissionDenied`, `resourcesExhausted`, `inputOutput`.
  public convenience init(_ path: FilePath) async throws {
    try await self.init(path, disk: SystemDisk(), work: .threads(IOThreads(limit: 1)))
  }

  /// Creates the file at `path`. Otherwise like ``init(_:)-(FilePath)``.
  public convenience init(_ path: String) async throws {
    try await self.init(FilePath(try FilePathExpansion.expand(path)))
  }

  /// - Parameters:
  ///   - disk: where the file is created.
  ///   - work: runs the calls to the disk, one at a time.
  package init(_ path: FilePath, disk: any SpillDisk, work: DiskWork) async throws {
    self.work = work
    file = Locked(TraceFile(path.string, try await work.run { try TraceFile.create(path, disk: disk) }))
  }

  /// Notes a read. Returns at once.
  func record(_ request: ReadRequest, at now: ReadInstant) {
    let (ranges, source) = (request.ranges, request.source)
    var action = buffer.withLock { $0.append(ranges, of: source, now: now) }
    if action == .findPlace {
      // Only for a source that was not read lately. The lock is held while versions are compared.
      let place = places.withLock { $0.place(of: source) }
      action = buffer.withLock { $0.append(ranges, of: source, at: place, now: now) }
    }
    guard action == .write else { return }
    work.start { self.write() }
  }

  /// Waits until what was recorded so far is written. Returns early if the task is cancelled.
  nonisolated(nonsending) func flush() async {
    // `try?`: only cancellation. A failed disk is told by `close()`.
    try? await work.run { self.write() }
  }

  /// Writes what was recorded and completes the file. Reads from now on are not recorded.
  ///
  /// Closing the reader is not enough: other readers may share the trace. But it writes what was recorded.
  ///
  /// - Throws: `ReadError` with `resourcesExhausted` for a full disk, or `inputOutput`, also if a write failed earlier.
  ///   The file is then a trace of the reads before that. `CancellationError` if the task is cancelled: the file is
  ///   completed all the same.
  public nonisolated(nonsending) func close() async throws {
    buffer.withLock { $0.close() }
    try await work.run {
      self.write()
      try self.file.withLock { try $0.finish() }
    }
  }

  /// What was recorded and what was left out.
  public func statistics() -> ReadCounts {
    let (recorded, dropped) = buffer.withLock { ($0.recorded, $0.dropped) }
    return ReadCounts("ReadTrace", counts: ["recorded": recorded, "not recorded": dropped])
  }

  /// Writes the reads that wait. Called by one thread at a time.
  private func write() {
    var reads = spare.withLock { spare in
      defer { spare = [] }
      return spare
    }
    buffer.withLock { $0.take(&reads) }
    // The lock is held while the disk is written. No read takes it.
    let isWritten = file.withLock { $0.append(reads) }
    if !isWritten { buffer.withLock { $0.fail(lost: reads.count) } }
    reads.removeAll(keepingCapacity: true)
    spare.withLock { $0 = reads }
  }
}
