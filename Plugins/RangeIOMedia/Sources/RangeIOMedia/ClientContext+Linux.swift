#if !canImport(Darwin)
  internal import Dispatch

  /// Where the client of a `URLProtocol` is called: on a queue of its own. Foundation's queues do not care.
  struct ClientContext: LoadingContext {
    private let queue = DispatchQueue(label: "RangeIOMedia.client")

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Does `work`, of Foundation's call, before this returns. Clients only hand on what they get, and wait for no queue that waits
    /// here.
    func enter(_ work: () -> Void) { queue.sync(execute: work) }
  }
#endif
