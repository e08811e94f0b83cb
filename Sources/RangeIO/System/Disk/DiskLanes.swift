/// The threads of one spill directory: its own, so that a disk that hangs holds up nothing of another, nor of a source.
package struct DiskLanes: Sendable {
  /// Where it reads.
  package let reads: DiskWork
  /// Where it writes, in parallel with the reads: one call at a time.
  package let writes: DiskWork

  /// The reads of a directory that are under way at once, and so the threads that a sick disk may take in addition to the writer.
  package static let mostReads = 2

  /// - Parameter work: where both run instead, in a test.
  package init(_ work: DiskWork? = nil) {
    reads = work ?? .threads(IOThreads(limit: Self.mostReads))
    writes = work ?? .threads(IOThreads(limit: 1))
  }
}
