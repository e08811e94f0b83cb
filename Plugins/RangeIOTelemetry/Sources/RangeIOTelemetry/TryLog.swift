#if Telemetry
  internal import RangeIO

  /// Tells the tries of one fetch apart: which is the first, which repeats one that failed, and which runs beside another.
  ///
  /// A value: it sees when tries begin and end, below the stages that make them. Two tries of the same ranges belong
  /// together, since a fetch may also be read in parts. It knows `limit` tries; later ones are only counted.
  struct TryLog: Sendable {
    /// The kind of a try, known when it begins.
    enum Start: Hashable, Sendable {
      /// The first one of its ranges.
      case first
      /// No other is running, and the last one ended with this error.
      case retry(after: String)
      /// Another one is running.
      case hedge
      /// There are too many to tell.
      case unknown
    }

    /// The outcome of a try.
    enum End: Hashable, Sendable {
      case answered
      /// With this error. A try that was cancelled ended with ``TryLog/cancelled``.
      case failed(String)
    }

    /// The ``ErrorType`` of a cancelled try.
    static let cancelled = ErrorType.cancelled
    /// The most tries of a fetch that are told apart, and so the most events of its span.
    static let limit = 64

    /// The tries of the same ranges.
    private struct Part: Sendable {
      let ranges: [ByteRange]
      var running: Set<Int> = []
      var hedges: Set<Int> = []
      var isAnswered = false
      var lastError: String?
    }

    private var parts: [Part] = []
    private(set) var tries = 0
    private(set) var retries = 0
    private(set) var hedges = 0

    /// A try of `ranges` begins.
    ///
    /// - Returns: its number, counted from one, for ``ended(_:_:)``.
    mutating func began(_ ranges: [ByteRange]) -> (number: Int, start: Start) {
      tries += 1
      guard tries <= Self.limit else { return (tries, .unknown) }
      guard let index = parts.firstIndex(where: { $0.ranges == ranges }) else {
        parts.append(Part(ranges: ranges, running: [tries]))
        return (tries, .first)
      }
      let isBeside = !parts[index].running.isEmpty
      parts[index].running.insert(tries)
      if isBeside {
        hedges += 1
        parts[index].hedges.insert(tries)
        return (tries, .hedge)
      }
      parts[index].isAnswered = false
      // What was answered before and is read again is another read of the same bytes, as a stage may need it.
      guard let error = parts[index].lastError else { return (tries, .first) }
      retries += 1
      return (tries, .retry(after: error))
    }

    /// A try ends. Only its first end counts: one that is cancelled also returns later.
    ///
    /// - Returns: whether it is a hedge whose answer came first.
    mutating func ended(_ number: Int, _ end: End) -> Bool {
      guard let index = parts.firstIndex(where: { $0.running.contains(number) }) else { return false }
      parts[index].running.remove(number)
      switch end {
      case .answered:
        let isFirst = !parts[index].isAnswered
        parts[index].isAnswered = true
        parts[index].lastError = nil
        return isFirst && parts[index].hedges.contains(number)
      case .failed(let error):
        if !parts[index].isAnswered { parts[index].lastError = error }
        return false
      }
    }
  }
#endif
