import Synchronization
import SystemPackage

// What the name of a file leads to, for readers that turn to that.

extension FileSource {
  /// Looks at what the path leads to now, and reads that from now on if it is another file than the one opened. Where it
  /// leads nowhere, that one is read on.
  ///
  /// - Throws: as ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    guard let found = try await statusByName(lanes.file.name), !lanes.isOf(found) else {
      return try await describe(lanes)
    }
    let now = try await openAnew()
    // It may have changed back meanwhile.
    guard !lanes.isOf(now.statusAtOpening) else { return try await describe(lanes) }
    // Whoever still reads the file before has hold of it; it closes with him.
    renewed.withLock { renewed in
      renewed = now
      generation.add(1, ordering: .releasing)
    }
    described.withLock { $0 = nil }
    return try await describe(now)
  }

  /// What the path leads to now; `nil` if nowhere, or if there is none.
  ///
  /// It is not opened for that: closing it again would drop all POSIX locks that this process has on it.
  private func statusByName(_ name: String) async throws -> FileStatus? {
    try await onThread { [location, syscalls = configuration.syscalls] in
      guard let path = try location.path() else { return nil }
      var status = FileStatus()
      let result = syscalls.statusOfPath(path, &status)
      if result >= 0 { return status }
      let error = ReadError.errno(Errno(result: result), "look at the file", .init(source: name))
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
