#if Telemetry
  // Names of before, so that the compiler says what they are called now. They go after the first release.

  /// Now ``ReadingService``.
  @available(*, unavailable, renamed: "ReadingService")
  public enum RangeIOService {}

  extension ReadingService.Times {
    /// Now ``closeTimeout``.
    @available(*, unavailable, renamed: "closeTimeout")
    public var closing: Duration {
      get { fatalError() }
      set {}
    }
  }
#endif
