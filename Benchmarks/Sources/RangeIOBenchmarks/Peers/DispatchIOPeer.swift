import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// DispatchIO as a Swift program would use it by itself.
///
/// - A read is one operation on one random channel and one continuation. The low-water mark is at its maximum, so that
///   the handler is called once with the bytes and once for the end, not for every piece.
/// - Handlers run on a global queue, or on a serial one: whichever is faster here.
/// - A stream is one operation for the whole file on a stream channel; pieces arrive in the handler, which has no way
///   to slow it down. That is less than a stream offers, and faster. Tried with pieces of 1 MiB (libdispatch's own size
///   on Linux), and with its defaults.
struct DispatchIOPeer: PointReader {
  private let channel: DispatchIO
  private let queue: DispatchQueue

  private init(_ file: BenchmarkFile, _ queue: DispatchQueue) throws {
    self.queue = queue
    channel = try Self.channel(file, .random, queue)
    channel.setLimit(lowWater: .max)
  }

  static func contender(_ file: BenchmarkFile) throws -> Contender {
    let onGlobal = try DispatchIOPeer(file, .global())
    let onSerial = try DispatchIOPeer(file, DispatchQueue(label: "benchmark.dispatchIO"))
    return Contender(name: .dispatchIO) { cell in
      switch cell.workload {
      case .reads: [onGlobal.variant("global queue"), onSerial.variant("serial queue")]
      case .stream: [streamVariant(file, pieces: 1 << 20), streamVariant(file, pieces: nil)]
      }
    }
  }

  private func variant(_ label: String) -> Variant {
    Variant(label: label) { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      return try await run(offsets, size, concurrency)
    }
  }

  private static func streamVariant(_ file: BenchmarkFile, pieces: Int?) -> Variant {
    Variant(label: pieces.map { "pieces of \($0 >> 20) MiB" } ?? "default water marks") { job in
      guard case .stream(let byteCount) = job else { preconditionFailure("a job of streaming") }
      return try await stream(file, byteCount, pieces)
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    try await withCheckedThrowingContinuation { continuation in
      let received = Received(checksStream: false)
      channel.read(offset: off_t(offset), length: count, queue: queue) { @Sendable done, data, error in
        if let data { received.take(data) }
        guard done else { return }
        continuation.resume(with: received.piece(error))
      }
    }
  }

  @concurrent private static func stream(
    _ file: BenchmarkFile, _ byteCount: Int, _ pieces: Int?
  ) async throws -> Outcome {
    let queue = DispatchQueue(label: "benchmark.dispatchIO.stream")
    let channel = try channel(file, .stream, queue)
    if let pieces {
      channel.setLimit(lowWater: pieces)
      channel.setLimit(highWater: pieces)
    }
    defer { channel.close() }
    let clock = ContinuousClock()
    let start = clock.now
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let received = Received(checksStream: true)
      channel.read(offset: 0, length: byteCount, queue: queue) { @Sendable done, data, error in
        if let data { received.take(data) }
        guard done else { return }
        continuation.resume(with: received.finish(error, byteCount))
      }
    }
    return Outcome(elapsed: clock.now - start)
  }

  private static func channel(
    _ file: BenchmarkFile, _ type: DispatchIO.StreamType, _ queue: DispatchQueue
  ) throws -> DispatchIO {
    let descriptor = try file.open()
    return DispatchIO(type: type, fileDescriptor: descriptor, queue: queue) { _ in _ = close(descriptor) }
  }
}

/// What the handler of one operation has been given so far.
private final class Received: @unchecked Sendable {
  // Unchecked: libdispatch calls the handler of one operation once at a time, in order.
  private let checksStream: Bool
  private var first = Piece(count: 0, firstWord: 0)
  private var check = StreamCheck()
  private var failure: (any Error)?

  init(checksStream: Bool) { self.checksStream = checksStream }

  func take(_ data: DispatchData) {
    guard !data.isEmpty else { return }
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) { data.copyBytes(to: $0, from: 0..<min(8, data.count)) }
    let piece = Piece(count: data.count, firstWord: UInt64(littleEndian: word))
    if first.count == 0 { first.firstWord = piece.firstWord }
    first.count += piece.count
    guard checksStream else { return }
    do { try check.take(piece) } catch { failure = failure ?? error }
  }

  /// All that came, as one piece.
  func piece(_ error: CInt) -> Result<Piece, any Error> {
    Result {
      if error != 0 { throw SystemFailure(code: error, doing: "read through DispatchIO") }
      return first
    }
  }

  /// Whether all that came is the file's first `byteCount` bytes.
  func finish(_ error: CInt, _ byteCount: Int) -> Result<Void, any Error> {
    piece(error).flatMap { _ in
      Result {
        if let failure { throw failure }
        try check.finish(byteCount)
      }
    }
  }
}
