internal import CRangeIOMapped
internal import RangeIO

// Which version is read: what the file was when it was looked at, before its bytes and after them.

extension MappedSource {
  /// What the file is now.
  ///
  /// - Parameter named: what it was a moment ago under its name, if that is known: if it has lost that since, it is for
  ///   those who read it to notice.
  func describe(named: rim_status?) async throws -> SourceDescription {
    let blockSize = configuration.blockSize.bytes
    guard BlockGrid(blockSize: blockSize) != nil else {
      throw ReadError(
        .invalidConfiguration,
        "a block size of \(configuration.blockSize) is no power of two: choose one, such as 64 KiB")
    }
    if try openFile() == nil { try await open() }
    let (file, generation, last) = try state.withLock { state in
      guard let file = state.file else { throw Self.closed }
      return (file, state.generation, state.described.flatMap(MappedSnapshot.of)?.version)
    }
    var version: MappedVersion
    if let status = file.takeStatusAtOpening() {
      version = MappedVersion(status)
    } else {
      version = try await look(at: file, after: last)
      if version.links == 0, let named { version = MappedVersion(named) }
    }
    let (now, tick) = configuration.calls.wallClock()
    let isSettled = version.isSettled(at: now, tick: tick)
    return state.withLock { state in
      if let last = state.described, last.isSettled == isSettled, MappedSnapshot.of(last)?.version == version {
        return last
      }
      let new = SourceDescription(
        id: "mapped:\(version.device):\(version.inode)", name: file.name, validator: version,
        byteCount: version.size, preferredBlockSize: blockSize, mayGrow: true, isSettled: isSettled,
        context: MappedSnapshot(version, generation))
      if state.generation == generation { state.described = new }
      return new
    }
  }

  /// The version of the file now; if it looks as if it were growing just now, what it is a moment later.
  private func look(at file: MappedFile, after version: MappedVersion?) async throws -> MappedVersion {
    var now = MappedVersion(try await file.look())
    guard let version else { return now }
    // As `FileSource` does: a file that was really rewritten costs who learns of it within a quarter of a second the rest
    // of that, once.
    for _ in 0..<250 where version.mayBeGrowing(into: now) {
      guard now.modified.age(at: configuration.calls.wallClock().now) < .milliseconds(250) else { break }
      try await Task.sleep(for: .milliseconds(1))
      now = MappedVersion(try await file.look())
    }
    return now
  }

  /// Throws `sourceChanged` unless the file is still `version`, or has only grown.
  func check(_ version: MappedVersion, after range: ByteRange, _ file: MappedFile) async throws {
    if MappedVersion(try await file.look()) == version { return }
    let now = try await look(at: file, after: version)
    guard version.change(to: now) == .other else { return }
    throw ReadError(
      .sourceChanged, "\(version.difference(to: now)) since it was opened: open it again to read the new version",
      context: file.context(range))
  }
}
