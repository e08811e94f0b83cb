#if HTTP

  /// An answer that no store should give, and that some give: its name, what a server sends, and what a read makes of it.
  public struct OddAnswer: Sendable, CustomStringConvertible {
    /// What becomes of a read that gets it each time.
    public enum Outcome: Hashable, Sendable {
      /// The right bytes come: the answer is odd and harmless, or can be done without.
      case reads
      /// The read fails, and the error has these words; empty: any.
      case fails(String)
      /// One of the two.
      case either
    }

    /// In words.
    public let name: String
    /// Of the read of a range in the middle, of a source that was opened before.
    public let outcome: Outcome
    /// This answer to a request, or `nil` if it does not apply to it.
    public let answer: @Sendable (AnswerContext) -> ScriptedAnswer?

    /// Creates an answer.
    public init(
      _ name: String, _ outcome: Outcome = .either, _ answer: @escaping @Sendable (AnswerContext) -> ScriptedAnswer?
    ) {
      (self.name, self.outcome, self.answer) = (name, outcome, answer)
    }

    /// The name.
    public var description: String { name }

    /// All that a client can tell from right ones, or has no need to: only a digest sees
    /// ``NumberedAnswer/shiftedBytes``. Each name is there once.
    public static let all = numbered + statuses + ranges + fields + plainHeads + mendedHeads + refusedHeads + wires
  }

  extension OddAnswer {
    /// Right heads over bytes of another place, as some servers of content sent them.
    public static let shiftedBytes = OddAnswer(.shiftedBytes, form: 0)

    /// A form of a numbered answer.
    public init(_ lie: NumberedAnswer, form: Int) {
      self.init(lie.words + (lie.variants > 1 ? ", form \(form + 1)" : ""), lie.outcome(form)) { context in
        var context = context
        context.variant = form
        return lie.answer(context)
      }
    }

    /// Each form of each numbered answer but ``NumberedAnswer/shiftedBytes``.
    static let numbered = NumberedAnswer.allCases.filter { $0 != .shiftedBytes }.flatMap { lie in
      (0..<lie.variants).map { OddAnswer(lie, form: $0) }
    }
  }

  extension NumberedAnswer {
    /// The name in words.
    var words: String {
      "\(self)".reduce(into: "") { text, letter in text += letter.isUppercase ? " \(letter.lowercased())" : "\(letter)"
      }
    }

    fileprivate func outcome(_ form: Int) -> OddAnswer.Outcome {
      switch self {
      case .partWithoutContentRange: .fails("without Content-Range")
      case .anotherStart: .fails("another range")
      case .unknownTotal: form == 0 ? .reads : .fails("Content-Range")
      case .unquotedTag: form == 0 ? .reads : .either
      case .multipart: .fails("several parts")
      case .unaskedStatus: .fails(["204", "202", "304"][form])
      case .notSatisfiableWithTotal, .notSatisfiableBare: .fails("416")
      case .unauthorized: .fails("401")
      // An authority may know no other place at its own store than the object's.
      case .refusedAfterRedirect, .oddLocation: .either
      case .goneInMidRead, .refusedConditions, .slowLoris, .noTag, .weakTag, .alternatingTags, .youngLastModified,
        .shorterPart, .anotherTotal, .staleCache, .expiringLocation, .shiftedBytes:
        .either
      case .tooManyRequests: .fails(["429", "503"][form])
      case .retryAtDate: .fails("503")
      case .serverFailure: .fails("\([408, 500, 502, 504][form])")
      case .captivePortal: .fails("page of HTML")
      case .contentEncoding: .fails("Content-Encoding")
      case .wrongLengths: .fails("ength")
      case .redirectLoop: .fails("redirects in a loop")
      case .resetInBody, .endWithoutNotify, .resetStream, .stallAfterHead: .either
      case .giantHeaders: .fails("header")
      default: .reads
      }
    }
  }

#endif
