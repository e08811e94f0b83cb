/// The time by the server's clock: ours, and how far the server once said that we are off.
public final class ServerClock: Sendable {
  private let source: @Sendable () -> Int
  private let offset = Guarded(0)

  /// - Parameter source: our clock, in seconds since 1970.
  public init(_ source: @escaping @Sendable () -> Int) { self.source = source }

  /// Our time, in seconds since 1970.
  public var local: Int { source() }

  /// The server's time, in seconds since 1970.
  public var now: Int { source() + offset.withLock { $0 } }

  /// The server's clock is ahead of ours by `offset` seconds.
  public func set(offset: Int) { self.offset.withLock { $0 = offset } }
}
