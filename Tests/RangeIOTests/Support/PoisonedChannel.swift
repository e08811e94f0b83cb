import Dispatch

@testable import RangeIO

#if canImport(Glibc)
  import Glibc
#endif

/// Somebody else's DispatchIO channel whose descriptor is closed under it.
final class PoisonedChannel: @unchecked Sendable {
  // Unchecked: `DispatchIO` is thread-safe, but not marked Sendable on Linux.
  private let channel: DispatchIO
  private let ended = OneAnswer<Void>()
  private let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    let ended = ended
    channel = DispatchIO(type: .random, fileDescriptor: descriptor, queue: .global()) { @Sendable _ in
      ended.resolve(.success(()))
    }
  }

  /// Reads through the channel, and closes its descriptor meanwhile.
  func read() {
    for start in 0..<4 {
      channel.read(offset: off_t(start), length: 1_000_000, queue: .global()) { @Sendable _, _, _ in }
    }
    Glibc.close(descriptor)
  }

  func end() async {
    channel.close(flags: .stop)
    try? await ended.value()
  }
}
