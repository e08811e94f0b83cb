import Synchronization
import SystemPackage

// What the name of a file refers to, for readers that move to new versions.

extension FileSource {
  /// Checks what the path refers to now. If it is another file than the open one, reads that file from now on. If the
  /// path refers to nothing, keeps reading the open file.
  ///
  /// - Throws: like ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    guard let found = try await statusByName(lanes), !lanes.isOf(found) else {
      return try await describeAtRest(lanes)
    }
    let now = try await openAnew(after: lanes)
    // It may have changed back in between.
    guard !lanes.isOf(now.statusAtOpening) else { return try await describeAtRest(lanes) }
    // Reads in flight hold the previous file. It closes with the last of them, unless it is the first file.
    let isFirst = renewed.withLock { renewed in
      defer { renewed = now }
      generation.add(1, ordering: .releasing)
      return renewed == nil
    }
    described.withLock { $0 = nil }
    renewals.notify()
    if isFirst { release(of: lanes) }
    return try await describe(now)
  }

  /// Closes the first file early. As long as it is the only one, reads find it without a lock and without counting
  /// references, so the end of the last read does not show. Reads in flight throw `sourceChanged`, as later ones do.
  private func release(of lanes: FileLanes) {
    gate.enterAgain()
    // Closing may free the disk space of a removed file, which takes time.
    lanes.threads.submit(
      IOJob(isUrgent: false) { [gate] in
        lanes.release()
        gate.leave()
      })
  }

  /// Describes the file once it has been at rest for 250 ms. The kernel stamps a file before a write, and a read during
  /// the write gets half of one version and half of another. All waiters for the file share a timer. A file that is
  /// written to all the time is waited for half a second at most. The version at opening is taken as it is.
  private func describeAtRest(_ lanes: FileLanes) async throws -> SourceDescription {
    var waited = Duration.zero
    var seen: FileStatus?
    while true {
      let now = try await describe(lanes, seen: seen)
      guard lanes.kind == .regular, !configuration.isAppendOnly, let version = FileSnapshot.of(now)?.version,
        !lanes.hasRested(version)
      else {
        return now
      }
      let wallClock = FileTime(nanosecondsSince1970: configuration.syscalls.wallClock().now)
      let age = version.modified.duration(to: wallClock)
      guard age >= .zero, age < Self.rest, waited < Self.rest else {
        lanes.rested(version)
        return now
      }
      let wait = try await configuration.resting.wait(Self.rest - age, for: version, in: waiting, gate) { [self] in
        try await status(of: lanes)
      }
      waited += wait.waited
      seen = wait.seen
    }
  }

  /// Much less is not enough: on a virtual machine the writer may lose its processor in the middle of a write for tens
  /// of milliseconds.
  private static let rest = Duration.milliseconds(250)

  /// The status of what the path refers to now; `nil` if there is no file or no path.
  ///
  /// The file is not opened for that: closing it again would drop all POSIX locks that this process has on it.
  private func statusByName(_ lanes: FileLanes) async throws -> FileStatus? {
    guard let path = lanes.path else { return nil }
    return try await onThread(of: pathThreads(of: lanes)) {
      [name = lanes.file.name, syscalls = configuration.syscalls] in
      var status = FileStatus()
      let result = syscalls.statusOfPath(path, &status)
      if result >= 0 { return status }
      let error = ReadError.errno(Errno(result: result), "look at the file", .init(source: name))
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
