#if HTTP
  /// How many reads of a remote object to let through at once.
  public enum RemoteReads {
    /// Half as many again as there may be connections: so a request is ready whenever one ends, and the event loop sends it
    /// at once. With as many reads as connections, two threads would have to wake up first.
    public static func concurrent(with connections: Int) -> Int {
      let connections = min(max(1, connections), TransportSettings.mostConnectionsPerHost)
      return connections + (connections + 1) / 2
    }
  }
#endif
