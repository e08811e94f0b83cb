import Synchronization

// How a reader learns that the file may have changed.

extension FileSource {
  /// Returns when the file may have changed since `source` described it, or its name may lead elsewhere.
  ///
  /// Where the system does not tell of changes, as on network file systems, it waits until it is cancelled.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    let answer = renewals.listen()
    defer { renewals.leave(answer) }
    // Of changes by others the system of a remote file does not tell, and to be told of our own we would have to ask there.
    let watch =
      lanes.isRemote ? nil : configuration.watch(lanes.file.descriptor) { answer.resolve(.success(())) }
    defer { watch?.end() }
    if !lanes.isRemote { isWatched.store(watch != nil, ordering: .relaxed) }
    // What happened before the watch began is seen now, and what comes later by the watch.
    if let version = FileSnapshot.of(source)?.version, hasChanged(version, try await status(of: lanes), lanes) {
      return
    }
    try await waiting.wait(for: answer)
  }

  /// Whether the system tells of what happens to the file, and to its name as far as that is known.
  ///
  /// The system watches the open file, not the directories above it. So this is true while the file has the name that its path
  /// says: an absolute or relative path, also with `.` and `..`. It is false for files on a server, for paths that lead through
  /// a symbolic link, and for a file that has lost its name, which another file may get. It is also false from the time the system
  /// has no watch to give until it gives one again.
  public var tellsOfChanges: Bool {
    guard isWatched.load(ordering: .relaxed) else { return false }
    let lanes = currentGeneration > 0 ? renewed.withLock { $0 } : opened.value
    return lanes?.tellsOfChanges(followed: configuration.isAppendOnly) ?? false
  }
}
