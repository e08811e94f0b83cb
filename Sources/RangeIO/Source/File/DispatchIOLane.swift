import Dispatch
import SystemPackage

/// Reads through one DispatchIO channel, which the first read opens: point reads of resident files never do.
final class DispatchIOLane: FileLane {
  private let context: LaneContext
  private let opened = Locked<DispatchIOChannel?>(nil)

  init(_ context: LaneContext) { self.context = context }

  var name: LaneName { .dispatchIO }

  /// Fills one after the other. What it leaves is the end of a file, a failure of the disk, or an `EBADF` of another descriptor,
  /// which ended this operation too: `pread` finds out which.
  func fill(_ reads: inout [FileRead]) async throws {
    for index in reads.indices where reads[index].filled == 0 {
      reads[index].take(try await channel().read(reads[index].range))
    }
  }

  /// The channel. Call it only within the gate.
  func channel() async throws -> DispatchIOChannel {
    if let channel = opened.withLock({ $0 }) { return channel }
    let new = try await context.work.run(on: context.file.isRemote ? context.threads : nil) { [context] in
      try DispatchIOChannel(context)
    }
    let channel = opened.withLock { channel -> DispatchIOChannel in
      if channel == nil { channel = new }
      return channel ?? new
    }
    if channel !== new {
      // If two tasks open one at the same time, the first wins.
      new.stop()
      try await new.drained()
    }
    // Closing first shuts the gate and then stops the channel it finds. A channel opened after that is stopped here:
    // one of the two sides always sees the other.
    guard !context.work.gate.isClosed else {
      channel.stop()
      throw ReadError.closed
    }
    return channel
  }

  func stop() { opened.withLock { $0 }?.stop() }

  func release() { stop() }

  func close() async throws { try await opened.withLock { $0 }?.drained() }
}

/// A channel of DispatchIO.
///
/// It has its own descriptor. Only the channel's clean-up handler closes it: on Linux an `EBADF` on one
/// descriptor ends every operation on that disk, with too few bytes and no error.
final class DispatchIOChannel: @unchecked Sendable {
  // Unchecked: `DispatchIO` is thread-safe but not marked Sendable on Linux; everything else is Sendable.
  private let channel: DispatchIO
  private let queue: DispatchQueue
  private let gate: ShutdownGate
  private let waiting: WaiterRegistry
  private let permits = Permits(LaneThreshold.dispatchIOOperations)
  private let released = Promise<Void>()

  /// Opens a channel on a second descriptor of the file. May wait.
  init(_ context: LaneContext) throws(ReadError) {
    let file = context.file
    let descriptor = file.syscalls.call.reopen(file.descriptor)
    guard descriptor >= 0 else {
      throw .errno(
        Errno(result: descriptor), "open the file a second time", .init(source: file.name), isRemote: file.isRemote)
    }
    gate = context.work.gate
    waiting = context.work.waiting
    queue = DispatchQueue(label: "rangeio.dispatchio")
    let (close, released) = (file.syscalls.call.close, self.released)
    channel = DispatchIO(type: .random, fileDescriptor: CInt(descriptor), queue: queue) { @Sendable _ in
      _ = close(CInt(descriptor))
      released.resolve(.success(()))
    }
    channel.setLimit(lowWater: LaneThreshold.dispatchIOPiece)
  }

  deinit { stop() }

  /// Stops the operations in flight.
  func stop() { channel.close(flags: .stop) }

  /// Waits, after ``stop()``, until the channel has released its descriptor. Call it once.
  func drained() async throws { try await released.value() }

  /// Reads `range` and returns its pieces: fewer bytes if the file ended early or an operation failed.
  ///
  /// It does not report the cause, because libdispatch does not know it: on Linux the `EBADF` of one descriptor ends
  /// operations on other files of the same disk, with that error or with none. The caller reads the missing bytes with
  /// `pread`.
  ///
  /// - Throws: `CancellationError` or `closed`.
  func read(_ range: ByteRange) async throws -> Bytes {
    if range.count <= LaneThreshold.dispatchIOPiece { return try await readOnce(range) }
    var pieces: [Bytes] = []
    var cursor = range.lowerBound
    while cursor < range.upperBound {
      let count = min(range.upperBound - cursor, LaneThreshold.dispatchIOWindow)
      let got = try await readWindow(cursor..<cursor + count, into: &pieces)
      cursor += got
      if got < count { break }
    }
    return Bytes(concatenating: pieces)
  }

  /// A bounded read: one continuation, resumed once, by the handler's last call.
  private func readOnce(_ range: ByteRange) async throws -> Bytes {
    try await permits.enter(waiting, urgency: .current)
    let answer = Promise<Bytes>()
    let collected = Locked<[Bytes]>([])
    operate(range) { piece in
      collected.withLock { $0.append(piece) }
    } onEnd: {
      answer.resolve(.success(Bytes(concatenating: collected.withLock { $0 })))
    }
    return try await waiting.wait(for: answer)
  }

  /// A long window: a stream of the pieces as the disk delivers them. The window limits what the stream may buffer.
  ///
  /// - Returns: the number of bytes appended to `pieces`.
  private func readWindow(_ range: ByteRange, into pieces: inout [Bytes]) async throws -> Int {
    try await permits.enter(waiting, urgency: .current)
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Bytes.self)
    // Closing must end the wait at once.
    let ending = StreamEnding(continuation)
    waiting.add(ending)
    defer { waiting.remove(ending) }
    operate(range) { piece in
      continuation.yield(piece)
    } onEnd: {
      continuation.finish()
    }
    var count = 0
    for try await piece in stream {
      pieces.append(piece)
      count += piece.count
    }
    // The stream of a cancelled task ends as if it were complete.
    try Task.checkCancellation()
    return count
  }

  /// Starts one operation of the channel. It already has a permit, and returns it when the operation ends, not when its
  /// caller leaves: so abandoned operations are limited too. Calls `onPiece` for each piece in order, then `onEnd`
  /// once.
  private func operate(
    _ range: ByteRange, onPiece: @escaping @Sendable (Bytes) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    gate.enterAgain()
    let (gate, permits) = (gate, permits)
    // `off_t` is another type on each platform.
    let start = range.lowerBound
    channel.read(offset: numericCast(start), length: range.count, queue: queue) { @Sendable done, data, _ in
      if let data, !data.isEmpty { onPiece(Bytes(showing: data)) }
      guard done else { return }
      permits.leave()
      gate.leave()
      onEnd()
    }
  }
}

/// Ends a stream with an error when the reader closes.
private final class StreamEnding: Failable {
  private let continuation: AsyncThrowingStream<Bytes, any Error>.Continuation
  init(_ continuation: AsyncThrowingStream<Bytes, any Error>.Continuation) { self.continuation = continuation }
  func fail(_ error: any Error) { continuation.finish(throwing: error) }
}

/// Keeps Dispatch's memory alive.
private final class DispatchBacking: @unchecked Sendable {
  // Unchecked: `DispatchData` is immutable, but not marked Sendable in Swift 6.3.
  private let data: DispatchData
  init(_ data: DispatchData) { self.data = data }
}

extension Bytes {
  /// Shows the regions of `data` without copying them.
  fileprivate init(showing data: DispatchData) {
    var regions: [UnsafeRawBufferPointer] = []
    data.enumerateBytes { region, _, _ in regions.append(UnsafeRawBufferPointer(region)) }
    self.init(unsafeNoCopy: regions, owner: DispatchBacking(data))
  }
}
