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
    guard let found = try await statusByName(lanes), !lanes.isOf(found) else {
      return try await describeAtRest(lanes)
    }
    let now = try await openAnew(after: lanes)
    // It may have changed back meanwhile.
    guard !lanes.isOf(now.statusAtOpening) else { return try await describeAtRest(lanes) }
    // Reads of the file before have hold of it. It closes with the last of them, unless it is the first one.
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

  /// Closes the first file early. Reads find it without a lock and without counting references as long as there is no other,
  /// so the end of the last one does not show: those under way throw `sourceChanged`, as later ones do.
  private func release(of lanes: FileLanes) {
    gate.enterAgain()
    // A removed file's room on the disk may be given back now, which takes time.
    lanes.threads.submit(
      IOJob(isUrgent: false) { [gate] in
        lanes.release()
        gate.leave()
      })
  }

  /// What the file is once it has been at rest for 250 ms: the kernel stamps it before a write, and what is read in the midst
  /// of that is half of one version and half of another. All that wait for the file share a timer. One that is written to all
  /// the time is waited for half a second at most. What was there when it was opened is taken as it is.
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

  /// Much less is not enough: on a virtual machine the writer's processor may be taken away in the middle of a write for
  /// tens of milliseconds.
  private static let rest = Duration.milliseconds(250)

  /// What the path leads to now; `nil` if nowhere, or if there is none.
  ///
  /// It is not opened for that: closing it again would drop all POSIX locks that this process has on it.
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
