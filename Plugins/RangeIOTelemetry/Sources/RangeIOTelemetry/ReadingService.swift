#if Telemetry
  public import Logging
  public import RangeIO
  public import ServiceLifecycle

  /// Closes readers and stores when a service shuts down, in the order in which nothing is lost, and exports their
  /// statistics until then.
  ///
  /// ```swift
  /// let service = ReadingService(readers: [reader], stores: [store], exporter: exporter, logger: logger)
  /// let group = ServiceGroup(services: [service, server], logger: logger)
  /// try await group.run()
  /// ```
  ///
  /// List it **before** the services that read: a `ServiceGroup` shuts down the last one first, and a read that is in
  /// progress when its reader is closed throws `ReadError.Code.closed`.
  ///
  /// When the group shuts down gracefully, the service
  ///
  /// 1. closes all readers, so that their last fetches are in the stores;
  /// 2. closes all stores, which write memory to the disk and free the directory for the next process;
  /// 3. exports the statistics once more, with what 1 and 2 have counted.
  ///
  /// When its task is cancelled instead, it does the same, but writes nothing more to disk: bytes that are not there yet
  /// can be read again. Cancelling it while readers close has the same effect.
  public struct ReadingService: Service {
    private let readers: [RangeReader]
    private let stores: [any ChunkStore]
    private let exporter: StatisticsExporter?
    private let times: Times
    private let time: ReadClock
    private let logger: Logger?

    /// The times of a ``ReadingService``.
    public struct Times: Sendable {
      /// The time between two exports, more than zero. Default: ten seconds.
      public var exportInterval = Duration.seconds(10)
      /// The time that the readers may take to close, and then that each store may. What is not written by then is lost,
      /// and can be read again. Default: ten seconds.
      public var closeTimeout = Duration.seconds(10)

      /// The defaults.
      public init() {}
    }

    /// Creates a service. It holds the readers and stores until it has run.
    ///
    /// - Parameters:
    ///   - readers: closed first, all at once.
    ///   - stores: closed when all readers are, all at once. A store of memory alone needs no closing.
    ///   - exporter: exports again and again, and once at the end. You add readers and stores to it yourself. Default: none.
    ///   - times: how often it exports, and how long closing may take.
    ///   - time: measures these times. Default: the system's continuous clock.
    ///   - logger: gets a line when closing begins and ends, and one for each store that could not write.
    public init(
      readers: [RangeReader], stores: [any ChunkStore] = [], exporter: StatisticsExporter? = nil,
      times: Times = Times(), time: ReadClock = .continuous, logger: Logger? = nil
    ) {
      self.readers = readers
      self.stores = stores
      self.exporter = exporter
      self.times = times
      self.time = time
      self.logger = logger
    }

    /// Runs until graceful shutdown or cancellation, then closes everything.
    ///
    /// - Throws: the first error of a store that could not write, after everything is closed; `CancellationError`.
    public func run() async throws {
      await waitForShutdown()
      let isCancelled = Task.isCancelled
      logger?.debug("closing readers and stores")
      // In a cancelled task nothing waits until it is closed, so what must be closed is closed in one of its own.
      if isCancelled { await Task { await closeReaders() }.value } else { await closeReaders() }
      let deadline = Task.isCancelled ? Duration.zero : times.closeTimeout
      let failure = await Task { await closeStores(within: deadline) }.value
      exporter?.export()
      logger?.debug("readers and stores are closed")
      if isCancelled { throw CancellationError() }
      if let failure { throw failure }
    }

    /// Exports until graceful shutdown or cancellation.
    private func waitForShutdown() async {
      if let exporter {
        // `try?`: that it ends is all that it tells; the caller asks its task which it was.
        try? await cancelWhenGracefulShutdown { [times, time] in
          try await exporter.export(every: times.exportInterval, time: time)
        }
      } else {
        // `try?`: as above.
        try? await gracefulShutdown()
      }
    }

    private func closeReaders() async {
      await within(times.closeTimeout) { [readers] in
        await withDiscardingTaskGroup { group in
          for reader in readers { group.addTask { await reader.close() } }
        }
      }
    }

    /// - Returns: the first error of a store.
    private func closeStores(within deadline: Duration) async -> (any Error)? {
      await withTaskGroup(of: (any Error)?.self) { group in
        for store in stores {
          group.addTask { [logger] in
            do {
              try await store.close(within: deadline)
              return nil
            } catch {
              logger?.error("a store could not write everything to its disk", metadata: Logger.Metadata(error))
              return error
            }
          }
        }
        return await group.reduce(nil) { $0 ?? $1 }
      }
    }

    /// Runs `work`, and cancels it when the time is over. A reader that is closed in a cancelled task returns at once.
    private func within(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await work() }
        // `try?`: the timer is cancelled when the work has ended first.
        group.addTask { [time] in try? await time.sleep(for: limit) }
        await group.next()
        group.cancelAll()
      }
    }
  }

  extension ReadingService: CustomStringConvertible {
    /// The number of readers and stores that it closes: for the log of its group.
    public var description: String { "ReadingService(readers: \(readers.count), stores: \(stores.count))" }
  }
#endif
