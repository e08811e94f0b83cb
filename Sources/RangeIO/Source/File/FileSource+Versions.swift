import CRangeIOSystem
import SystemPackage

extension FileSource {
  /// What the file is now.
  ///
  /// - Parameter named: what it was a moment ago under its name, if that is known: if it has lost that since, it is for
  ///   those who read it to notice.
  func describe(_ lanes: FileLanes, named: FileStatus? = nil) async throws -> SourceDescription {
    switch lanes.kind {
    case .blockDevice: return try await ask(lanes) { [self] in try describeDevice(lanes.file) }
    case .regular: break
    }
    if configuration.isAppendOnly { return try await describeRecording(lanes) }
    let generation = currentGeneration
    let last = described.withLock { $0 }.flatMap { FileSnapshot.of($0)?.version }
    var version: FileVersion
    if let status = lanes.takeStatusAtOpening() {
      version = FileVersion(status)
    } else {
      version = try await look(at: lanes, after: last)
      if version.links == 0, let named { version = FileVersion(named) }
    }
    let (now, tick) = configuration.syscalls.wallClock()
    let isSettled = version.isSettled(at: now, tick: tick)
    return described.withLock { described in
      if let last = described, last.isSettled == isSettled, let snapshot = FileSnapshot.of(last),
        snapshot.version == version, snapshot.generation == generation
      {
        return last
      }
      let new = SourceDescription(
        id: "file:\(version.device):\(version.inode)", name: lanes.file.name, validator: version,
        byteCount: version.size, preferredBlockSize: configuration.blockSize.bytes, mayGrow: true, isSettled: isSettled,
        context: FileSnapshot(version, generation))
      // Of a file that another has taken the place of meanwhile it would be read by nobody.
      if currentGeneration == generation { described = new }
      return new
    }
  }

  /// What a file is of which only the end changes: settled however lately that was.
  private func describeRecording(_ lanes: FileLanes) async throws -> SourceDescription {
    let generation = currentGeneration
    let version = try await lookAtRecording(lanes)
    let recording = RecordingVersion(recording: version.recording, size: version.size)
    return described.withLock { described in
      if let last = described, FileSnapshot.of(last)?.generation == generation,
        last.validator.map({ $0.change(to: recording) }) == .same
      {
        return last
      }
      let new = SourceDescription(
        id: "file:\(version.device):\(version.inode):recording", name: lanes.file.name, validator: recording,
        byteCount: version.size, preferredBlockSize: configuration.blockSize.bytes, mayGrow: true, isAppendOnly: true,
        context: FileSnapshot(version, generation))
      if currentGeneration == generation { described = new }
      return new
    }
  }

  /// What a recording is now, and which one it is: another, if it was cut short.
  private func lookAtRecording(_ lanes: FileLanes) async throws -> FileVersion {
    var recording = lanes.recording ?? .of(lanes.statusAtOpening)
    while true {
      let largest = recording.largest
      var version = FileVersion(try await status(of: lanes))
      guard recording.sees(version.size, since: largest) else {
        recording = recording.next
        continue
      }
      lanes.recording = recording
      version.recording = recording.number
      return version
    }
  }

  /// Whether the file is still `version`, as far as one look tells.
  @inline(__always) func isStill(_ version: FileVersion, _ status: FileStatus, _ lanes: FileLanes) -> Bool {
    configuration.isAppendOnly
      ? status.inode == version.inode && status.device == version.device
        && lanes.isOn(version.recording, seen: status.size, since: version.size)
      : FileVersion(status) == version
  }

  /// Whether a look shows more than `version` has, or another version.
  func hasChanged(_ version: FileVersion, _ status: FileStatus, _ lanes: FileLanes) -> Bool {
    // The times of a recording, and its names, may change as they like.
    configuration.isAppendOnly
      ? !isStill(version, status, lanes) || status.size != version.size : FileVersion(status) != version
  }

  private func describeDevice(_ file: OpenFile) throws(ReadError) -> SourceDescription {
    let status = try file.status()
    let size = rio_device_size(file.descriptor)
    guard size >= 0 else {
      throw .errno(Errno(result: Int(size)), "ask for the size of the device", .init(source: file.name))
    }
    return SourceDescription(
      id: "device:\(status.device):\(status.inode)", name: file.name, validator: nil, byteCount: Int(size),
      preferredBlockSize: configuration.blockSize.bytes)
  }

  /// Throws `sourceChanged` unless the file is still `version`, or has only grown.
  ///
  /// Called after every read and before its bytes are handed out: they were read between two looks that agree.
  ///
  /// - Parameter seen: what the file was after the read, if the thread that read it has looked.
  func check(
    _ version: FileVersion, after range: ByteRange, _ lanes: FileLanes, seen: FileStatus? = nil
  ) async throws {
    if let seen, isStill(version, seen, lanes) { return }
    let status = try await status(of: lanes)
    if isStill(version, status, lanes) { return }
    guard !configuration.isAppendOnly else {
      throw ReadError.changed(version.difference(to: FileVersion(status)), lanes.file.context(range))
    }
    let now = try await look(at: lanes, after: version)
    guard version.change(to: now) == .other else { return }
    throw ReadError.changed(version.difference(to: now), lanes.file.context(range))
  }

  /// The error for a read that met the end of the file early.
  func shrank(
    _ version: FileVersion?, at range: ByteRange, got count: Int, _ lanes: FileLanes
  ) async throws -> ReadError {
    if let version {
      // It may have grown again by the next look.
      if configuration.isAppendOnly {
        _ = lanes.isOn(version.recording, seen: range.lowerBound + count, since: version.size)
      }
      try await check(version, after: range, lanes)
    }
    return .changed("the file ended \(range.count - count) bytes early", lanes.file.context(range))
  }

  /// The version of the file now; if it looks as if it were growing just now, what it is a moment later.
  ///
  /// - Parameter version: the version that was seen before.
  private func look(at lanes: FileLanes, after version: FileVersion?) async throws -> FileVersion {
    let now = FileVersion(try await status(of: lanes))
    guard let version, version.mayBeGrowing(into: now) else { return now }
    return try await onThread(of: threads(of: lanes)) { [file = lanes.file, syscalls = configuration.syscalls] in
      // Bounded: a file that was really rewritten costs the reader who learns of it within a quarter of a second the
      // rest of that, once. Much less is not enough: on a virtual machine the writer's processor may be taken away in
      // the middle of its append for tens of milliseconds.
      var now = now
      for _ in 0..<250 where version.mayBeGrowing(into: now) {
        let present = FileTime(nanosecondsSince1970: syscalls.wallClock().now)
        guard now.modified.duration(to: present) < .milliseconds(250) else { break }
        rio_pause_ns(1_000_000)
        now = FileVersion(try file.status())
      }
      return now
    }
  }

  /// What the file is now.
  func status(of lanes: FileLanes) async throws -> FileStatus {
    try await ask(lanes) { [file = lanes.file] in try file.status() }
  }

  /// Does `work`, which asks the file's system something: here where that answers at once, on an I/O thread where a server
  /// may have to.
  func ask<Value: Sendable>(
    _ lanes: FileLanes, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    lanes.isRemote ? try await onThread(of: configuration.remoteThreads, work) : try work()
  }

  /// The threads that wait for the disk or the server of a file.
  func threads(of lanes: FileLanes) -> IOThreads {
    lanes.isRemote ? configuration.remoteThreads : configuration.threads
  }

  /// Does `work`, which may block, on one of the `threads`. Cancelled or closed, the caller is answered at once.
  func onThread<Value: Sendable>(
    of threads: IOThreads, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = OneAnswer<Value>()
    let gate = gate
    gate.enterAgain()
    let job = IOJob {
      let result = Result { try work() }
      gate.leave()
      answer.resolve(result)
    }
    threads.submit(job)
    do {
      return try await waiting.wait(for: answer)
    } catch {
      if threads.withdraw(job) { gate.leave() }
      throw error
    }
  }
}

/// The version that a description speaks of, where ``FileSource`` finds it again without a dynamic cast.
final class FileSnapshot: Sendable {
  let version: FileVersion
  /// How often the source had opened another file before.
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
