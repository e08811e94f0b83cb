#if HTTP
  /// What readers of a remote object make of its configuration.
  public enum RemoteReads {
    /// The limit of a reader's reads with their retries, if the reads of its source have one; `nil` also for one that the
    /// source refuses.
    public static func timeLimit(_ readTimeout: Duration?) -> Duration? {
      readTimeout.flatMap { $0 > .zero ? $0 : nil }
    }

    /// How many reads to let through at once: half as many again as there may be connections. So a request is ready whenever
    /// one ends, and the event loop sends it at once. With as many as connections, two threads would have to wake up first.
    public static func concurrent(with connections: Int) -> Int {
      let connections = min(max(1, connections), TransportSettings.mostConnectionsPerHost)
      return connections + (connections + 1) / 2
    }
  }
#endif
