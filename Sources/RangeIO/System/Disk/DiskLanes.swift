/// The threads of one spill directory. They are separate, so that a disk that hangs delays no other directory and no
/// source.
package struct DiskLanes: Sendable {
  /// For reads.
  package let reads: DiskWork
  /// For writes, in parallel with the reads: one call at a time.
  package let writes: DiskWork

  /// The most reads of a directory in flight, and so the threads that a failing disk may block in addition to the
  /// writer.
  package static let mostReads = 2

  /// - Parameter work: runs both instead, in a test.
  package init(_ work: DiskWork? = nil) {
    reads = work ?? .threads(IOThreads(limit: Self.mostReads))
    writes = work ?? .threads(IOThreads(limit: 1))
  }
}
