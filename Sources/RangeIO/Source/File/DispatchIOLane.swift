import Dispatch
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Long reads through one DispatchIO channel.
///
/// The channel has a descriptor of its own, which is closed by the channel's clean-up handler and nowhere else: on
/// Linux an `EBADF` on one descriptor ends every operation on that disk, with too few bytes and no error.
final class DispatchIOLane: @unchecked Sendable {
  // Unchecked: `DispatchIO` is thread-safe but not marked Sendable on Linux; all else is.
  private let channel: DispatchIO
  private let queue: DispatchQueue
  private let gate: ShutdownGate
  private let waiting: WaiterRegistry
  private let permits = Permits(LaneThreshold.dispatchIOOperations)
  private let released = Promise<Void>()

  /// A channel on a second descriptor of `file`.
  init(_ file: OpenFile, gate: ShutdownGate, waiting: WaiterRegistry) throws(ReadError) {
    let descriptor = file.syscalls.reopen(file.descriptor)
    guard descriptor >= 0 else {
      throw .errno(Errno(result: descriptor), "open the file a second time", .init(source: file.name))
    }
    self.gate = gate
    self.waiting = waiting
    queue = DispatchQueue(label: "rangeio.dispatchio")
    let (close, released) = (file.syscalls.close, self.released)
    channel = DispatchIO(type: .random, fileDescriptor: CInt(descriptor), queue: queue) { @Sendable _ in
      _ = close(CInt(descriptor))
      released.resolve(.success(()))
    }
    channel.setLimit(lowWater: LaneThreshold.dispatchIOPiece)
  }

  deinit { stop() }

  /// Stops what is under way.
  func stop() { channel.close(flags: .stop) }

  /// Waits, after ``stop()``, until the channel has let go of its descriptor. To be called once.
  func drained() async throws { try await released.value() }

  /// The bytes of `range`, in pieces as they were read: fewer if the file ended early or anything went wrong.
  ///
  /// What went wrong is not told, since libdispatch does not know it: on Linux one descriptor's `EBADF` ends operations
  /// on other files of the same disk, with that error or with none. The caller asks `pread` for what is missing.
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

  /// A bounded read: one continuation, resumed once, by the last of the handler's calls.
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

  /// A long window: a stream of the pieces as the disk delivers them. The window bounds what the stream may hold.
  ///
  /// - Returns: the bytes appended to `pieces`.
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
    // A stream whose task is cancelled ends as if it were complete.
    try Task.checkCancellation()
    return count
  }

  /// Starts one operation of the channel, for which there is a permit: it is given back when the operation ends, not
  /// when its caller goes, so that abandoned operations stay bounded too. `onPiece` is called for each piece in order,
  /// then `onEnd` once.
  private func operate(
    _ range: ByteRange, onPiece: @escaping @Sendable (Bytes) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    gate.enterAgain()
    let (gate, permits) = (gate, permits)
    channel.read(offset: off_t(range.lowerBound), length: range.count, queue: queue) { @Sendable done, data, _ in
      if let data, !data.isEmpty { onPiece(Bytes(showing: data)) }
      guard done else { return }
      permits.leave()
      gate.leave()
      onEnd()
    }
  }
}

/// Lets closing end a stream with its reason.
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
    self.init(unsafeShowing: regions, owner: DispatchBacking(data))
  }
}
