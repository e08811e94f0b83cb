#if HTTP

  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTesting

  /// The results of many reads from servers that lie.
  struct LiarTally: Sendable {
    var right = 0
    /// Reads that returned bytes of neither version.
    var wrong: [String] = []
    /// The number of errors of each text, numbers left out.
    var errors: [String: Int] = [:]
    /// Errors that are no `ReadError`.
    var foreign: [String] = []
    /// Errors that do not say what the server did.
    var unclear: [String] = []
    /// The time that the slowest read took.
    var longest = Duration.zero
    var failed: Int { errors.values.reduce(0, +) }

    mutating func add(_ other: LiarTally) {
      right += other.right
      wrong += other.wrong
      errors.merge(other.errors, uniquingKeysWith: +)
      foreign += other.foreign
      unclear += other.unclear
      longest = max(longest, other.longest)
    }

    mutating func note(_ error: any Error) {
      guard let error = error as? ReadError else { return foreign.append("\(error)") }
      let text = "\(error.message.prefix(60))".filter { !$0.isNumber }
      errors["\(error.code): \(text)", default: 0] += 1
      let words = ["the server", "http://127.0.0.1", "https://127.0.0.1", "connection", "the read took", "the object"]
      if !words.contains(where: { error.message.contains($0) }) { unclear.append("\(error)") }
    }

    /// Reads `count` ranges at random, and notes what came of each.
    ///
    /// - Parameters:
    ///   - title: names the reads among those that returned wrong bytes.
    ///   - read: reads a range, given the number of the read; `nil` if it has nothing to read by.
    mutating func read(
      _ count: Int, _ random: inout SeededGenerator, _ title: String = "",
      _ read: (Int, Range<Int>) async throws -> Bytes?
    ) async {
      for number in 0..<count {
        let start = Int.random(in: 0..<LiarKind.size, using: &random)
        let range = start..<min(LiarKind.size, start + Int.random(in: 1...30_000, using: &random))
        let began = ContinuousClock.now
        do {
          let bytes = try await read(number, range)
          let isRight = bytes.map { $0.areContent(range, version: 2) || $0.areContent(range, version: 1) } ?? true
          if isRight { right += 1 } else { wrong.append("\(title) \(range)") }
        } catch {
          note(error)
        }
        longest = max(longest, ContinuousClock.now - began)
      }
    }
  }

#endif
