import CRangeIOSystem

// Which of the three lanes a read takes.

extension FileSource {
  /// Whether resident bytes are read on the caller's thread. Not for a file on a server: after the read the server must
  /// be asked for the file's status.
  func usesResidentLane(of lanes: FileLanes) -> Bool {
    Platform.readsResidentPages && configuration.engine == .automatic && !lanes.isRemote
  }

  /// The lane for what the resident lane leaves.
  private var diskLane: FileLane {
    switch configuration.engine {
    case .positional: .positional
    case .dispatchIO: .dispatchIO
    case .automatic: Platform.readsResidentPages ? .positional : .dispatchIO
    }
  }

  /// Whether the library's own threads read what the resident lane leaves.
  var usesPositionalLane: Bool { diskLane == .positional }

  /// A read that would keep the caller's actor busy too long, or that starts at the disk.
  ///
  /// - Parameter seen: the file's status after the read, if the reading thread took it.
  func readLarge(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    if usesResidentLane(of: lanes) {
      let buffer = try configuration.buffers.buffer(range.count)
      let filled = try await fillOffActor(buffer, range, lanes.resident)
      counters.add(filled, to: .resident)
      if filled == range.count { return buffer.bytes(filled) }
      return try await readRest(of: range, into: buffer, from: filled, lanes, version, &seen)
    }
    guard usesPositionalLane else { return try await readThroughDispatchIO(range, lanes, version, &seen) }
    return try await readRest(
      of: range, into: configuration.buffers.buffer(range.count), from: 0, lanes, version, &seen)
  }

  /// The resident lane on a thread of Swift's pool: no hop for a caller that is on no actor.
  @concurrent private func fillOffActor(
    _ buffer: WritableBytes, _ range: ByteRange, _ lane: ResidentLane
  ) async throws -> Int {
    try inPieces(of: range.count) { filled, count in
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.memory[filled..<filled + count])
      let start = range.lowerBound + filled
      return try lane.fill(piece, from: start..<start + count)
    }
  }

  /// Fills `count` bytes piece by piece, so that a read that is cancelled or closed ends early.
  ///
  /// - Parameter fill: fills the next piece after the first `filled` bytes; fewer bytes than requested end the loop.
  /// - Returns: the number of bytes filled.
  /// - Throws: `CancellationError`, `closed`.
  func inPieces(of count: Int, _ fill: (_ filled: Int, _ count: Int) throws -> Int) throws -> Int {
    var filled = 0
    while filled < count {
      try goOn()
      let piece = min(count - filled, LaneThreshold.residentPiece)
      let got = try fill(filled, piece)
      filled += got
      if got < piece { break }
    }
    return filled
  }

  /// Throws if the read was cancelled or the source closed.
  func goOn() throws {
    if rio_task_is_cancelled() { throw CancellationError() }
    if gate.isClosed { throw ReadError.closed }
  }

  /// Reads what the resident lane left of `range` through the positional lane: `buffer` holds the first `filled` bytes.
  func readRest(
    of range: ByteRange, into buffer: WritableBytes, from filled: Int, _ lanes: FileLanes, _ version: FileVersion?,
    _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let (count, status) = try await lanes.positional.read(range, into: buffer, from: filled)
    seen = status
    counters.add(count - filled, to: .positional)
    guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    return buffer.bytes(count)
  }

  private func readThroughDispatchIO(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let bytes = try await lanes.dispatchIOLane { try await self.ask(lanes, $0) }.read(range)
    counters.add(bytes.count, to: .dispatchIO)
    if bytes.count == range.count { return bytes }
    // The file ended, the disk failed, or another descriptor's EBADF ended this operation too: `pread` finds out which.
    let rest = range.lowerBound + bytes.count..<range.upperBound
    let buffer = try configuration.buffers.buffer(rest.count)
    let (count, status) = try await lanes.positional.read(rest, into: buffer, from: 0)
    seen = status
    counters.add(count, to: .positional)
    guard count == rest.count else { throw try await shrank(version, at: rest, got: count, lanes) }
    return Bytes(concatenating: [bytes, buffer.bytes(count)])
  }
}
