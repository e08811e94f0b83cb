#if Serve
  internal import CRangeIOSystem
  public import Logging
  internal import NIOCore
  internal import NIOPosix
  internal import RangeIO
  public import ServiceLifecycle
  internal import SystemPackage

  /// Serves byte ranges over HTTP: files, and whatever else a `RangeReader` reads, to everything that speaks HTTP.
  ///
  /// ```swift
  /// let server = RangeServer([("", try DirectoryUpstream("/data"))])
  /// try await server.run()
  /// ```
  ///
  /// **Versions.** All bytes of an answer are of the version that its head names. If the source becomes another one
  /// meanwhile, the connection is cut off, and never ends as if the answer were complete.
  ///
  /// **Stopping.** As a `Service` of swift-service-lifecycle it stops when its group does; else call ``close()``. It
  /// then accepts no more connections and lets answers under way end, for `drainTimeout`. Cancelling the task that runs it
  /// cuts them off. Stores are yours: close them afterwards.
  ///
  /// - Source: RFC 9110, RFC 9112.
  public final class RangeServer: Service {
    private let configuration: Configuration
    private let logger: Logger
    private let responder: Responder
    private let state = Locked(State())
    private let stopped = Notifier()

    private struct State {
      var stop: (@Sendable () -> Void)?
      var isRunning = false
      var isStopping = false
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - upstreams: what is served, by the first name in the path; `""` for the root, if there is only one. No two have
    ///     the same name.
    ///   - configuration: where it listens, and its limits.
    ///   - statistics: what `/-/stats` shows besides, such as that of the stores: by name.
    ///   - logger: told of failures, and of each request at the level `info`. Default: nothing is logged.
    public init(
      _ upstreams: [(String, any ServedUpstream)], configuration: Configuration = Configuration(),
      statistics: @escaping @Sendable () -> [String: any Encodable & Sendable] = { [:] },
      logger: Logger = Logger(label: "rangeio.serve") { _ in SwiftLogNoOpLogHandler() }
    ) {
      self.configuration = configuration
      self.logger = logger
      let clients = ClientLedger(
        maxConnectionsPerClient: configuration.maxConnectionsPerClient,
        maxStreamsPerClient: configuration.maxStreamsPerClient,
        maxRequestsPerClient: configuration.maxRequestsPerClient,
        maxRequests: configuration.maxRequests)
      let descriptors = rio_disk_descriptor_limit()
      responder = Responder(
        mounts: Mounts(
          upstreams,
          maxOpenObjects: configuration.maxOpenObjects(perUpstreamOf: upstreams.count, descriptors: descriptors),
          maxReaders: configuration.maxReaders(descriptors: descriptors), time: configuration.time),
        configuration: configuration, clients: clients, statistics: statistics, logger: logger)
    }

    /// Serves until it is told to stop.
    ///
    /// - Throws: if it cannot listen; `ReadError.Code.inUse` if another program has the address, or if it runs already.
    public func run() async throws { try await run { _ in } }

    /// Serves until it is told to stop.
    ///
    /// - Parameter onListening: called once, with the port; 0 for a unix socket.
    public func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
      // Before it listens: of two at a time, the second must not.
      let isOurs = state.withLock { state in
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard isOurs else { throw ReadError(.inUse, "the server runs already") }
      let result: Result<Void, any Error>
      do { result = .success(try await serve(onListening)) } catch { result = .failure(error) }
      // However it has ended, and before a `close()` returns: stores may be closed then.
      await responder.mounts.close()
      await configuration.accessLog?.flush()
      state.withLock { $0 = State() }
      stopped.notify()
      try result.get()
    }

    private func serve(_ onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
      let group = MultiThreadedEventLoopGroup.singleton
      let executors = try await LoopExecutors(group)
      defer { executors.close() }
      let listener: Listener
      do {
        listener = try await Listener(
          configuration, ConnectionChannel(responder: responder, executors: executors, logger: logger), group)
      } catch let error as IOError {
        throw ReadError.listening(at: configuration.address, Errno(rawValue: error.errnoCode))
      }
      configuration.applySocketMode(logger)
      responder.stopping.set(false)
      let work = Task {
        await onListening(listener.port)
        await listener.run()
      }
      let (stopDelay, drainTimeout) = (configuration.stopDelay, configuration.drainTimeout)
      let stop: @Sendable () -> Void = { [stopping = responder.stopping] in
        stopping.set(true)
        Task {
          // `try?`: it throws only if the task is cancelled, and nothing holds the task.
          try? await Task.sleep(for: stopDelay)
          listener.stop()
        }
        Task {
          // `try?`: as above.
          try? await Task.sleep(for: stopDelay + drainTimeout)
          work.cancel()
        }
      }
      let isStopping = state.withLock { state in
        state.stop = stop
        return state.isStopping
      }
      if isStopping { stop() }
      await withTaskCancellationHandler {
        await withGracefulShutdownHandler {
          await work.value
        } onGracefulShutdown: {
          self.stop()
        }
      } onCancel: {
        work.cancel()
      }
    }

    /// Makes ``run()`` return: accepts no more connections, lets answers under way end, and returns when they have ended and
    /// all readers are closed. In a cancelled task, and if the server does not run, returns at once; then the next ``run()``
    /// ends at once, too.
    public func close() async {
      let end = stopped.listen()
      defer { stopped.leave(end) }
      // `try?`: it throws if the task is cancelled.
      if stop() { try? await end.value() }
    }

    /// The same, without waiting. Returns whether the server runs.
    @discardableResult package func stop() -> Bool {
      let (stop, isRunning) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
        defer { state.isStopping = true }
        return (state.isStopping ? nil : state.stop, state.isRunning)
      }
      stop?()
      return isRunning
    }
  }
#endif
