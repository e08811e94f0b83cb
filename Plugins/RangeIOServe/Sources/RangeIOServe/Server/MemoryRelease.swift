#if Serve
  /// Decides when memory that answers have left goes back to the system, which the allocator does not do by itself: when three
  /// quarters of many have ended, and then not before a pause is over, since it takes the allocator up to 40 ms. A value.
  struct MemoryRelease {
    /// The most answers since the last time.
    private var most = 0
    private var isPausing = false

    /// Fewer have not left enough: 8 MiB.
    private static let minCount = 32

    /// An answer has ended.
    ///
    /// - Returns: whether to give memory back now, and to call ``pauseEnded(answersLeft:)`` a while later.
    mutating func ended(answersLeft: Int) -> Bool {
      most = max(most, answersLeft + 1)
      return !isPausing && isDue(answersLeft)
    }

    /// The pause since the last time is over.
    ///
    /// - Returns: as ``ended(answersLeft:)``. `true` if enough answers have ended in the pause; if they end later, that will
    ///   tell.
    mutating func pauseEnded(answersLeft: Int) -> Bool {
      isPausing = false
      return isDue(answersLeft)
    }

    private mutating func isDue(_ answersLeft: Int) -> Bool {
      guard most >= Self.minCount, answersLeft <= most / 4 else { return false }
      most = answersLeft
      isPausing = true
      return true
    }
  }
#endif
