#if !canImport(Darwin)
  /// The levels that the system reports by itself: none on Linux.
  enum SystemPressure {
    /// Starts to listen; `nil` where the system reports nothing by itself.
    static func begin() -> SystemPressure? { nil }

    /// The next level that differs from the previous one; `nil` when the task is cancelled.
    mutating func next() async -> MemoryPressure? {
      switch self {}
    }
  }
#endif
