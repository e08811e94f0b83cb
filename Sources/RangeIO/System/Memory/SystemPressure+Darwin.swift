#if canImport(Darwin)
  import Dispatch

  /// The levels that the system reports, in order. If several come between two calls, only the last is kept.
  struct SystemPressure {
    private var iterator: AsyncStream<MemoryPressure>.Iterator
    private var level = MemoryPressure.normal

    /// Starts to listen; `nil` where the system reports nothing by itself.
    static func begin() -> SystemPressure? { SystemPressure() }

    private init() {
      let (stream, continuation) = AsyncStream.makeStream(
        of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
      let source = PressureSource()
      source.start { continuation.yield($0) }
      // Called when the task is cancelled, and when the stream is released. Keeps the source alive until then.
      continuation.onTermination = { _ in source.stop() }
      iterator = stream.makeAsyncIterator()
    }

    /// The next level that differs from the previous one; `nil` when the task is cancelled.
    mutating func next() async -> MemoryPressure? {
      while let told = await iterator.next(isolation: #isolation) {
        if told != level {
          level = told
          return told
        }
      }
      return nil
    }
  }

  private final class PressureSource: @unchecked Sendable {
    // Unchecked: dispatch sources are thread-safe, but their protocols are not marked Sendable in every SDK.
    private let source = DispatchSource.makeMemoryPressureSource(
      eventMask: [.normal, .warning, .critical], queue: .global(qos: .utility))

    func start(_ tell: @escaping @Sendable (MemoryPressure) -> Void) {
      // Weak, or the source and its handler would retain each other.
      source.setEventHandler { @Sendable [weak self] in
        guard let event = self?.source.data else { return }
        // If several come at once, take the most severe: freeing too much costs time, freeing too little may cost the
        // process.
        tell(event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal)
      }
      source.activate()
    }

    func stop() { source.cancel() }
  }
#endif
