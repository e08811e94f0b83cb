#if HTTP
  extension RemoteConformance {
    /// What came of many reads of a store that answers oddly.
    public struct Figures: Sendable, CustomStringConvertible {
      /// Reads that returned the right bytes.
      public internal(set) var right = 0
      /// The number of errors by code and text, without numbers.
      public internal(set) var errors: [String: Int] = [:]
      /// How often each answer was given, by its name.
      public internal(set) var told: [String: Int] = [:]
      /// The time of the slowest read.
      public internal(set) var longest = Duration.zero
      /// Reads that returned wrong bytes, and errors that no read may throw.
      var wrong: [String] = []

      /// No reads.
      public init() {}

      /// Reads that failed, and readers that could not be opened.
      public var failed: Int { errors.values.reduce(0, +) }

      /// Adds those of another run.
      public static func += (figures: inout Figures, other: Figures) {
        figures.right += other.right
        figures.errors.merge(other.errors, uniquingKeysWith: +)
        figures.told.merge(other.told, uniquingKeysWith: +)
        figures.longest = max(figures.longest, other.longest)
        figures.wrong += other.wrong
      }

      /// The figures in a line, without the texts of errors.
      public var description: String {
        "\(right) right, \(wrong.count) wrong, \(failed) failed, \(told.values.reduce(0, +)) odd answers of "
          + "\(told.values.count { $0 > 0 }) kinds, longest \(longest)"
      }
    }
  }
#endif
