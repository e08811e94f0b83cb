import Testing

@testable import RangeIO

#if canImport(Glibc)
  import Glibc
#endif

/// Waits, by giving way to others, until `condition` holds; fails after a minute.
///
/// For what the system does in its own time, such as the end of a thread. Everything else is awaited.
func eventually(
  _ condition: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(60)
  while try !condition() {
    guard clock.now < deadline else {
      Issue.record("it never came to be", sourceLocation: sourceLocation)
      return
    }
    await Task.yield()
  }
}

/// Makes the file at `path` cold: what is read next comes from disk.
func dropPages(of path: String) throws {
  #if os(Linux)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(fsync(descriptor) == 0)
    try #require(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
  #endif
}
