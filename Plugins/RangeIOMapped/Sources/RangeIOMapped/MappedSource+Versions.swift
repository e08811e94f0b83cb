internal import CRangeIOMapped
internal import RangeIO

// Which version is read: the file is checked before its bytes are read, and after.

extension MappedSource {
  /// The description of the file as it is now.
  func look() async throws -> SourceDescription {
    let blockSize = configuration.blockSize.bytes
    guard BlockGrid(blockSize: blockSize) != nil else {
      throw ReadError(
        .invalidConfiguration,
        "a block size of \(configuration.blockSize) is no power of two: choose one, such as 64 KiB")
    }
    if try openFile() == nil { try await open() }
    let (file, generation) = try state.withLock { state in
      guard let file = state.file else { throw Self.closed }
      return (file, state.generation)
    }
    let (version, changed) = try await file.ask { try file.see() }
    let (now, tick) = configuration.calls.wallClock()
    let isSettled = version.isSettled(at: now, tick: tick, changed: changed)
    return state.withLock { state in
      if let last = state.described, last.isSettled == isSettled, MappedSnapshot.of(last)?.version == version {
        return last
      }
      let new = SourceDescription(
        id: "mapped:\(String(file.fileSystem, radix: 16)):\(version.device):\(version.inode)", name: file.name,
        validator: version,
        byteCount: version.size, preferredBlockSize: blockSize,
        traits: .init(isSettled: isSettled, context: MappedSnapshot(version, generation)))
      if state.generation == generation { state.described = new }
      return new
    }
  }

  /// Throws `sourceChanged` unless the file is still `version`.
  func check(_ version: MappedVersion, after range: ByteRange, _ file: MappedFile) async throws {
    let now: rim_status? = try await file.ask {
      if file.isStill(version, try file.status()) { return nil }
      let look = try file.confirm(version)
      return look.isStill ? nil : look.status
    }
    guard let now else { return }
    throw ReadError(
      .sourceChanged,
      "\(version.difference(to: MappedVersion(now))) since it was opened: open it again to read the new version",
      source: file.name, range: range)
  }
}
