#if SharedCache
  // Names of before, so that the compiler says what they are called now. They go after the first release.

  public import RangeIO

  extension SharedCacheConfiguration {
    /// Now ``pendingWriteLimit``.
    @available(*, unavailable, renamed: "pendingWriteLimit")
    public var pendingWrites: ByteCount {
      get { fatalError() }
      set {}
    }

    /// Now ``maxReadSize``.
    @available(*, unavailable, renamed: "maxReadSize")
    public var longestRead: ByteCount {
      get { fatalError() }
      set {}
    }

    /// Now ``lookUpTimeout``.
    @available(*, unavailable, renamed: "lookUpTimeout")
    public var lookUpLimit: Duration? {
      get { fatalError() }
      set {}
    }
  }

  extension SharedCacheConnection {
    /// Now ``maxConnectionsPerNode``.
    @available(*, unavailable, renamed: "maxConnectionsPerNode")
    public var connectionsPerNode: Int {
      get { fatalError() }
      set {}
    }
  }
#endif
