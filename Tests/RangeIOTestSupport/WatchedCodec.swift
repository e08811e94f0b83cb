@testable import RangeIO
@testable import RangeIOTiers

/// LZ4 that counts, fails when the test says so, and lets the test do something in the middle of its work: while a chunk
/// is on its way from one tier to the other, no lock is held.
final class WatchedCodec: ChunkCodec {
  private struct State {
    var encodes = 0
    var decodes = 0
    var failures = 0
    var isDamaged: (@Sendable () -> Bool)?
    var whileEncoding: (@Sendable () -> Void)?
    var whileDecoding: (@Sendable () -> Void)?
  }
  private let state = Locked(State())
  private let base = LZ4Codec()

  var id: UInt8 { 200 }

  /// Chunks that were compressed, or were to be.
  var encodes: Int { state.withLock { $0.encodes } }
  /// Those that were decompressed, or were to be.
  var decodes: Int { state.withLock { $0.decodes } }
  /// Those that were found damaged.
  var failures: Int { state.withLock { $0.failures } }

  /// Decides from now on what is damaged.
  func damage(if isDamaged: (@Sendable () -> Bool)?) { state.withLock { $0.isDamaged = isDamaged } }

  /// Does something in the midst of all compressing from now on.
  func whileEncoding(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whileEncoding = body } }

  /// Does something in the midst of all decompressing from now on.
  func whileDecoding(_ body: (@Sendable () -> Void)?) { state.withLock { $0.whileDecoding = body } }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    let body = state.withLock { state in
      state.encodes += 1
      return state.whileEncoding
    }
    body?()
    return base.encode(source, into: destination)
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    let (body, isDamaged) = state.withLock { state in
      state.decodes += 1
      return (state.whileDecoding, state.isDamaged)
    }
    body?()
    guard isDamaged?() != true else {
      state.withLock { $0.failures += 1 }
      // What is there does not matter: nobody may show it.
      for index in destination.indices { destination[index] = 0xDB }
      return false
    }
    return base.decode(source, into: destination)
  }
}
