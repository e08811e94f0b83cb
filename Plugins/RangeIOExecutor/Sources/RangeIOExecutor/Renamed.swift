// Names of before, so that the compiler says what they are called now. They go after the first release.

extension ReadingExecutor {
  /// Now ``maxThreads``.
  @available(*, unavailable, renamed: "maxThreads")
  public var limit: Int { maxThreads }

  /// Now ``init(maxThreads:)``.
  @available(*, unavailable, renamed: "init(maxThreads:)")
  public convenience init(limit: Int) { self.init(maxThreads: limit) }
}
