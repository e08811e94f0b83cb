// Files that only grow, and how a file that was cut or rewritten is told from one that grew.

extension FileSource {
  /// Describes a file whose end alone changes: it is always settled, however recent the change.
  func describeRecording(_ lanes: FileLanes) async throws -> SourceDescription {
    let generation = currentGeneration
    let (recording, status) = try await lookAtRecording(lanes)
    var version = FileVersion(status)
    version.recording = recording.number
    let validator = RecordingVersion(recording: recording.number, size: status.size)
    return described.withLock { [version] described in
      if let last = described, FileSnapshot.of(last)?.generation == generation,
        last.validator.map({ $0.change(to: validator) }) == .same
      {
        return last
      }
      let new = SourceDescription(
        id: lanes.id + ":recording", name: lanes.file.name, validator: validator,
        byteCount: version.size, preferredBlockSize: configuration.blockSize.bytes, cost: configuration.cost,
        mayGrow: true, isAppendOnly: true,
        context: FileSnapshot(version, generation))
      if currentGeneration == generation { described = new }
      return new
    }
  }

  /// Which recording the file holds now, and the file's status.
  private func lookAtRecording(_ lanes: FileLanes) async throws -> (AppendOnlyFile, FileStatus) {
    var recording = lanes.recording ?? .of(lanes.statusAtOpening)
    while true {
      try goOn()
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
      throw ReadError.changed(RecordingVersion.hasEnded, lanes.file.context(range))
    }
  }

  /// Compares the file with what is known of its recording.
  ///
  /// - Returns: the file's status; `nil` if the recording has ended.
  private func compare(_ recording: AppendOnlyFile, _ lanes: FileLanes) async throws -> FileStatus? {
    // What is compared was written or read a moment ago, and is nearly always in the page cache.
    if usesResidentLane(of: lanes) {
      do throws(RecordingMarker.Lack) {
        return try recording.compare(RecordingMarker(file: lanes.file, waits: false), isClosed: { gate.isClosed })
      } catch {
        if case .failed(let error) = error { throw error }
      }
    }
    return try await onThread(of: lanes.threads) { [file = lanes.file, gate] in
      do throws(RecordingMarker.Lack) {
        return try recording.compare(RecordingMarker(file: file, waits: true), isClosed: { gate.isClosed })
      } catch {
        guard case .failed(let error) = error else { preconditionFailure("one that waits reads to the end") }
        throw error
      }
    }
  }
}

extension AppendOnlyFile {
  /// How often a read may find the file shorter than its status said before. Each time it may have been cut in between.
  private static let mostShortReads = 8

  /// Compares the file with what is known of this recording. Ends the recording if the file does not hold it and
  /// possibly more.
  ///
  /// - Returns: the file's status; `nil` if the recording has ended.
  func compare(
    _ marker: RecordingMarker, isClosed: () -> Bool = { false }
  ) throws(RecordingMarker.Lack) -> FileStatus? {
    var shortReads = 0
    while !hasEnded {
      if isClosed() { throw .failed(.closed) }
      // Known before the status is taken: a file that is shorter then was cut.
      let before = mark
      let status: FileStatus
      do throws(ReadError) { status = try marker.file.status() } catch { throw .failed(error) }
      // The file was closed early in between, because another file is read now.
      guard isIn(status) else { return nil }
      if let before {
        if before.isOf(status) { return hasEnded ? nil : status }
        guard status.size >= before.end else {
          end()
          return nil
        }
      }
      do throws(RecordingMarker.Lack) {
        // Take the new mark first. If the bytes of the old mark are still there after that, both marks belong to one
        // recording.
        let now = try marker.mark(status)
        if let before, try !marker.finds(before) {
          end()
          return nil
        }
        advance(from: before, to: now)
        // A mark without an earlier one is compared with what another task found in between.
        if before != nil { return hasEnded ? nil : status }
      } catch {
        // Cut since the status was taken: the next one shows it.
        guard case .tooShort = error else { throw error }
        shortReads += 1
        if shortReads >= Self.mostShortReads {
          throw .failed(
            ReadError(
              .inputOutput, "the file ends before the \(status.size) bytes that it says it has: try again",
              isTransient: true, context: marker.file.context(AppendOnlyMark.lastRange(of: status.size))))
        }
      }
    }
    return nil
  }
}
