import Dispatch

/// Somebody else's DispatchIO channel whose descriptor is closed under it. It never ends: libdispatch crashes now and then
/// when it cleans one up, so it is left to the end of the process.
final class PoisonedChannel: @unchecked Sendable {
  // Unchecked: `DispatchIO` is thread-safe, but not marked Sendable on Linux.
  private let channel: DispatchIO
  private let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    channel = DispatchIO(type: .random, fileDescriptor: descriptor, queue: .global()) { @Sendable _ in }
  }

  /// Reads through the channel, and closes its descriptor meanwhile.
  func read() {
    for start in 0..<4 {
      channel.read(offset: off_t(start), length: 1_000_000, queue: .global()) { @Sendable _, _, _ in }
    }
    systemClose(descriptor)
  }
}
