import SystemPackage

/// The file in which ``Observing/init(tracingTo:)-(FilePath)`` records ranges, and what waits to be written to it.
///
/// A read appends to a buffer, under a lock. A thread of its own writes the file: one read in some thousands, or one a second,
/// wakes it.
final class ReadTrace: Sendable {
  private let buffer = Locked(TraceBuffer())
  private let places = Locked(TracePlaces())
  private let file: Locked<TraceFile>
  /// An empty array of the size of the buffer's.
  private let spare = Locked(TraceBuffer.emptyReads())
  private let work: DiskWork

  /// A path that a user wrote.
  convenience init(_ path: String) async throws { try await self.init(FilePath(try FilePathExpansion.expand(path))) }

  convenience init(_ path: FilePath) async throws {
    try await self.init(path, disk: SystemDisk(), work: .threads(IOThreads(limit: 1)))
  }

  /// - Parameters:
  ///   - disk: where the file is created.
  ///   - work: runs the calls to the disk, one at a time.
  init(_ path: FilePath, disk: any SpillDisk, work: DiskWork) async throws {
    self.work = work
    file = Locked(TraceFile(path.string, try await work.run { try TraceFile.create(path, disk: disk) }))
  }

  /// Notes a read. Returns at once.
  func record(_ request: ReadRequest, at now: ReadClock.Instant) {
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

  /// See ``Observing/close()``.
  nonisolated(nonsending) func close() async throws {
    buffer.withLock { $0.close() }
    try await work.run {
      self.write()
      try self.file.withLock { try $0.finish() }
    }
  }

  /// Returns the numbers of reads that were recorded and left out.
  func statistics() -> Counters {
    let (recorded, dropped) = buffer.withLock { ($0.recorded, $0.dropped) }
    return Counters("ReadTrace", counts: ["recorded": recorded, "not recorded": dropped])
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
