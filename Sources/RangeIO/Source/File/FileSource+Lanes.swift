import CRangeIOSystem

// Which of the three ways a read goes.

extension FileSource {
  /// Whether the platform tells what is resident.
  private static let platformHasResidentLane: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  /// Whether what is resident is read on the caller's thread. Not of a file that a server has: it has to be asked, after
  /// the read, what the file is.
  func usesResidentLane(of lanes: FileLanes) -> Bool {
    Self.platformHasResidentLane && configuration.engine == .automatic && !lanes.isRemote
  }

  /// The lane for what the resident lane leaves.
  private var diskLane: FileLane {
    switch configuration.engine {
    case .positional: .positional
    case .dispatchIO: .dispatchIO
    case .automatic: Self.platformHasResidentLane ? .positional : .dispatchIO
    }
  }

  /// Whether what the resident lane leaves is read by threads of our own.
  var usesPositionalLane: Bool { diskLane == .positional }

  /// A read that would keep the caller's actor busy for too long, or that starts at the disk.
  ///
  /// - Parameter seen: what the file was after the read, if the thread that read it has looked.
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

  /// Fills `count` bytes piece by piece, so that a read that is cancelled or closed ends before all of them.
  ///
  /// - Parameter fill: fills the next piece after the first `filled` bytes; fewer bytes than asked for end it.
  /// - Returns: the bytes filled.
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

  /// Throws if the read was cancelled, or the source closed.
  func goOn() throws {
    if rio_task_is_cancelled() { throw CancellationError() }
    if gate.isClosed { throw ReadError.closed }
  }

  /// What the resident lane left of `range`, by position: `buffer` holds the first `filled` bytes.
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
    // The file ended, the disk failed, or another descriptor's EBADF swept this operation away: `pread` tells which.
    let rest = range.lowerBound + bytes.count..<range.upperBound
    let buffer = try configuration.buffers.buffer(rest.count)
    let (count, status) = try await lanes.positional.read(rest, into: buffer, from: 0)
    seen = status
    counters.add(count, to: .positional)
    guard count == rest.count else { throw try await shrank(version, at: rest, got: count, lanes) }
    return Bytes(concatenating: [bytes, buffer.bytes(count)])
  }
}
