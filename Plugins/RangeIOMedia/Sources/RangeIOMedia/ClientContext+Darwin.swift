#if canImport(Darwin)
  internal import CoreFoundation

  /// Where the client of a `URLProtocol` is called: on the thread that has made the protocol start, which has a run loop, as
  /// Apple's documentation of `URLProtocol` asks.
  final class ClientContext: LoadingContext, @unchecked Sendable {
    // Unchecked: set once, by the first call, on that thread. The functions called with it may be called from any thread.
    private var loop: CFRunLoop?

    func run(_ work: @escaping @Sendable () -> Void) {
      CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue, work)
      CFRunLoopWakeUp(loop)
    }

    /// Does `work`, of Foundation's call, before this returns.
    func enter(_ work: () -> Void) {
      if loop == nil { loop = CFRunLoopGetCurrent() }
      work()
    }
  }
#endif
