import Synchronization

// How a reader learns that the file may have changed.

extension FileSource {
  /// Returns when the file may have changed since `source` described it, or when its name may refer to another file.
  ///
  /// If the system does not report changes, as on network file systems, it waits until it is cancelled.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    let answer = renewals.listen()
    defer { renewals.leave(answer) }
    // The system does not report other machines' changes to a remote file, and watching our own would mean asking the
    // server.
    let watch =
      lanes.isRemote ? nil : configuration.watch(lanes.file.descriptor) { answer.resolve(.success(())) }
    defer { if let watch { end(watch, of: lanes) } }
    if !lanes.isRemote { isWatched.store(watch != nil, ordering: .relaxed) }
    // This finds changes from before the watch began; the watch reports later ones.
    if let version = FileSnapshot.of(source)?.version, hasChanged(version, try await status(of: lanes), lanes) {
      return
    }
    try await waiting.wait(for: answer)
  }

  /// Ends `watch`. The descriptor of `lanes` stays open until the system does not use it any more.
  private func end(_ watch: FileWatch, of lanes: FileLanes) {
    gate.enterAgain()
    watch.end { [gate] in withExtendedLifetime(lanes) { gate.leave() } }
  }

  /// Whether the system reports changes to the file, and to its name as far as that is known.
  ///
  /// The system watches the open file, not the directories above it. So this is `true` while the file has the name in
  /// its path: an absolute or relative path, also with `.` and `..`. It is `false` for files on a server, for paths
  /// through a symbolic link, and for a file that has lost its name, since another file may get that name. It is also
  /// `false` from the moment the system has no watch available until it has one again.
  public var tellsOfChanges: Bool {
    guard isWatched.load(ordering: .relaxed) else { return false }
    let lanes = currentGeneration > 0 ? renewed.withLock { $0 } : opened.value
    return lanes?.tellsOfChanges(followed: configuration.isAppendOnly) ?? false
  }
}
