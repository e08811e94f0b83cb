#if !canImport(Darwin)
  /// The levels that the system reports by itself: none on Linux.
  enum SystemPressure {
    static func begin() -> SystemPressure? { nil }

    mutating func next() async -> MemoryPressure? {
      switch self {}
    }
  }
#endif
