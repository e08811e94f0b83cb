#if Serve
  // Names of before, so that the compiler says what they are called now. They go after the first release. `fatalError`: nothing can
  // call what is unavailable.

  extension RangeServer {
    /// Now ``close()``, which waits.
    @available(*, unavailable, renamed: "close()")
    public func shutDown() {}
  }

  extension RangeServer.Configuration {
    /// Now ``maxConnections``.
    @available(*, unavailable, renamed: "maxConnections")
    public var mostConnections: Int {
      get { fatalError() }
      set {}
    }

    /// Now ``maxConnectionsPerClient``.
    @available(*, unavailable, renamed: "maxConnectionsPerClient")
    public var connectionsPerClient: Int {
      get { fatalError() }
      set {}
    }

    /// Now ``maxRequests``.
    @available(*, unavailable, renamed: "maxRequests")
    public var mostAnswers: Int {
      get { fatalError() }
      set {}
    }

    /// Now ``maxRequestsPerClient``.
    @available(*, unavailable, renamed: "maxRequestsPerClient")
    public var answersPerClient: Int {
      get { fatalError() }
      set {}
    }

    /// Now ``maxOpenObjects``.
    @available(*, unavailable, renamed: "maxOpenObjects")
    public var openObjects: Int {
      get { fatalError() }
      set {}
    }

    /// Now ``headTimeout``.
    @available(*, unavailable, renamed: "headTimeout")
    public var headTime: Duration {
      get { fatalError() }
      set {}
    }

    /// Now ``stallTimeout``.
    @available(*, unavailable, renamed: "stallTimeout")
    public var stallTime: Duration {
      get { fatalError() }
      set {}
    }

    /// Now ``drainTimeout``.
    @available(*, unavailable, renamed: "drainTimeout")
    public var drainTime: Duration {
      get { fatalError() }
      set {}
    }
  }
#endif
