import CRangeIOSystem
import SystemPackage

extension FileSource {
  /// Describes the file as it is now.
  ///
  /// - Parameter seen: a status recent enough for the caller.
  func describe(_ lanes: FileLanes, seen: FileStatus? = nil) async throws -> SourceDescription {
    switch lanes.kind {
    case .blockDevice: return try await ask(lanes) { [self] in try describeDevice(lanes.file) }
    case .regular: break
    }
    if configuration.isAppendOnly { return try await describeRecording(lanes) }
    let generation = currentGeneration
    let (version, status) =
      if let seen, let known = lanes.version(in: seen) {
        (known, seen)
      } else {
        try await ask(lanes) { try lanes.see(lanes.statusForDescription()) }
      }
    guard lanes.isOf(status) else {
      // The file was closed early in between, because another file is read now.
      let current = try await currentLanes()
      if current !== lanes { return try await describe(current) }
      throw ReadError.changed("another file is open in its place", lanes.file.context(0..<0))
    }
    let (now, tick) = configuration.syscalls.call.wallClock()
    let isSettled = version.isSettled(at: now, tick: tick, changed: status.changed)
    var traits = traits(FileSnapshot(version, generation))
    traits.isSettled = isSettled
    traits.reportsChanges = lanes.reportsChanges(followed: false)
    let description = lastDescription(in: generation) { last, snapshot in
      (isSettled || !last.isSettled) && snapshot.version == version && last.reportsChanges == traits.reportsChanges
    } orNew: {
      SourceDescription(
        id: lanes.id, name: lanes.file.name, validator: version,
        byteCount: version.size, preferredBlockSize: configuration.blockSize, traits: traits)
    }
    if isSettled { description.settle() }
    return description
  }

  /// The traits of all files: no caller waits for the kernel.
  private func traits(_ context: any AnyObject & Sendable) -> SourceDescription.Traits {
    var traits = SourceDescription.Traits()
    (traits.cost, traits.answersCancellation, traits.context) = (configuration.cost, true, context)
    return traits
  }

  /// The last description if it is of this file and still says what is so, else a new one.
  private func lastDescription(
    in generation: Int, if isSame: (SourceDescription, FileSnapshot) -> Bool, orNew make: () -> SourceDescription
  ) -> SourceDescription {
    described.withLock { described in
      if let last = described, let snapshot = FileSnapshot.of(last), snapshot.generation == generation,
        isSame(last, snapshot)
      {
        return last
      }
      let new = make()
      // If another file has replaced it in between, no later call needs this description.
      if currentGeneration == generation { described = new }
      return new
    }
  }

  /// True if the file is still `version`, as far as one status shows.
  @inline(__always) func isStill(_ version: FileVersion, _ status: FileStatus, _ lanes: FileLanes) -> Bool {
    configuration.isAppendOnly
      ? lanes.isOn(version.recording, seen: status, of: version.size)
      : FileVersion(status) == version || lanes.version(in: status) == version
  }

  /// True if `status` shows a longer file than `version`, another version, or other names than before.
  func hasChanged(_ version: FileVersion, _ status: FileStatus, _ lanes: FileLanes) -> Bool {
    // The times and names of a recording may change freely.
    configuration.isAppendOnly
      ? !lanes.mayBeOn(version.recording, seen: status, of: version.size) || status.size != version.size
      : !isStill(version, status, lanes) || lanes.takeRenaming()
  }

  private func describeDevice(_ file: OpenFile) throws(ReadError) -> SourceDescription {
    let status = try file.status()
    let size = rio_device_size(file.descriptor)
    guard size >= 0 else {
      throw .errno(Errno(result: Int(size)), "ask for the size of the device", .init(source: file.name))
    }
    return SourceDescription(
      id: "device:\(status.device):\(status.inode)", name: file.name, validator: nil, byteCount: Int(size),
      preferredBlockSize: configuration.blockSize,
      traits: traits(TracelessChanges.shared))
  }

  /// Throws `sourceChanged` unless the file is still `version`, or extends it where the file was declared to grow.
  ///
  /// Called after every read and before its bytes are returned: they were read between two checks that agree.
  ///
  /// - Parameter seen: the file's status after the read, if the reading thread took it.
  func check(
    _ version: FileVersion, after range: ByteRange, _ lanes: FileLanes, seen: FileStatus? = nil
  ) async throws {
    if let seen, isStill(version, seen, lanes) { return }
    let status = try await status(of: lanes)
    if isStill(version, status, lanes) { return }
    if configuration.isAppendOnly { return try await checkRecording(version, after: range, lanes) }
    let look = try await ask(lanes) { try lanes.look(for: version) }
    if look.isAccepted { return }
    let now = FileVersion(look.status)
    throw ReadError.changed(version.difference(to: now), isLonger: now.size > version.size, lanes.file.context(range))
  }

  /// The error for a read that reached the end of the file early.
  func shrank(
    _ version: FileVersion?, at range: ByteRange, got count: Int, _ lanes: FileLanes
  ) async throws -> ReadError {
    if let version {
      // The file may have grown again by the next check.
      if configuration.isAppendOnly, lanes.isOf(try await status(of: lanes)) { lanes.end(version.recording) }
      try await check(version, after: range, lanes)
    }
    return .changed("the file ended \(range.count - count) bytes early", lanes.file.context(range))
  }

  /// The file's current status.
  func status(of lanes: FileLanes) async throws -> FileStatus {
    try await ask(lanes) { [file = lanes.file] in try file.status() }
  }

  /// Does `work`, which asks the file's system something: on this thread if that answers at once, on an I/O thread if a
  /// server may have to answer.
  func ask<Value: Sendable>(
    _ lanes: FileLanes, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await self.work.run(on: lanes.isRemote ? lanes.threads : nil, work)
  }
}

/// The version in a description. ``FileSource`` finds it here without a dynamic cast.
final class FileSnapshot: Sendable {
  let version: FileVersion
  /// The number of files that the source had opened before this one.
  let generation: Int

  init(_ version: FileVersion, _ generation: Int) {
    self.version = version
    self.generation = generation
  }

  static func of(_ source: SourceDescription) -> FileSnapshot? {
    guard let context = source.context, type(of: context) == FileSnapshot.self else { return nil }
    return unsafeDowncast(context, to: FileSnapshot.self)
  }
}

// Files that only grow, and how a file that was cut or rewritten is told from one that grew.

extension FileSource {
  /// Describes a file whose end alone changes: it is always settled, however recent the change.
  func describeRecording(_ lanes: FileLanes) async throws -> SourceDescription {
    let generation = currentGeneration
    let (recording, status) = try await lookAtRecording(lanes)
    var version = FileVersion(status)
    version.recording = recording.number
    let validator = RecordingVersion(recording: recording.number, size: status.size)
    var traits = traits(FileSnapshot(version, generation))
    (traits.mayGrow, traits.isAppendOnly) = (true, true)
    traits.reportsChanges = lanes.reportsChanges(followed: true)
    return lastDescription(in: generation) { last, _ in
      last.validator.map { $0.change(to: validator) } == .same
    } orNew: {
      SourceDescription(
        id: lanes.id + ":recording", name: lanes.file.name, validator: validator,
        byteCount: version.size, preferredBlockSize: configuration.blockSize, traits: traits)
    }
  }

  /// Which recording the file holds now, and the file's status.
  private func lookAtRecording(_ lanes: FileLanes) async throws -> (AppendOnlyFile, FileStatus) {
    var recording = lanes.recording ?? .of(lanes.statusAtOpening)
    while true {
      try work.goOn()
      if let status = try await compare(recording, lanes) {
        lanes.recording = recording
        return (recording, status)
      }
      guard lanes.isOf(try await status(of: lanes)) else {
        throw ReadError.changed("another file has been opened under its name", lanes.file.context(0..<0))
      }
      recording = recording.next
    }
  }

  /// Throws `sourceChanged` unless the file still holds the recording of `version`, and is at least as long.
  func checkRecording(_ version: FileVersion, after range: ByteRange, _ lanes: FileLanes) async throws {
    guard let recording = lanes.recording, recording.number == version.recording,
      let status = try await compare(recording, lanes), status.size >= version.size
    else {
      throw ReadError.changed(RecordingVersion.hasEnded(), lanes.file.context(range))
    }
  }

  /// Compares the file with what is known of its recording. Returns the file's status; `nil` if the recording has
  /// ended.
  private func compare(_ recording: AppendOnlyFile, _ lanes: FileLanes) async throws -> FileStatus? {
    // What is compared was written or read a moment ago, and is nearly always in the page cache.
    if lanes.readsHere {
      do throws(RecordingMarker.Lack) {
        return try recording.compare(RecordingMarker(file: lanes.file, waits: false), isClosed: { gate.isClosed })
      } catch {
        if case .failed(let error) = error { throw error }
      }
    }
    return try await work.run(on: lanes.threads) { [file = lanes.file, gate] in
      do throws(RecordingMarker.Lack) {
        return try recording.compare(RecordingMarker(file: file, waits: true), isClosed: { gate.isClosed })
      } catch {
        guard case .failed(let error) = error else { preconditionFailure("one that waits reads to the end") }
        throw error
      }
    }
  }
}
