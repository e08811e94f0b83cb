#if HTTP

  /// Answers with numbers that a test chooses. They apply to requests with and without a range.
  extension OddAnswer {
    /// This status, whatever the request.
    public static func status(_ status: Int, retryAfter: Int?) -> OddAnswer {
      OddAnswer("status \(status)" + (retryAfter.map { ", again after \($0) s" } ?? "")) { context in
        let fields = retryAfter.map { [ServedField("Retry-After", "\($0)")] } ?? []
        return .dated(ScriptedAnswer(status, fields, text: "status \(status)\n"), context)
      }
    }

    /// The right body, and `action` before byte `count` of it.
    public static func cut(_ name: String, _ action: Interruption.Action, after count: Int) -> OddAnswer {
      withBody(name) { $0.interrupted(action, at: .body(min(max(0, count), $0.body.count))) }
    }

    /// The right body in parts of `count` bytes.
    public static func slow(bytes count: Int, every pause: Duration) -> OddAnswer {
      withBody("\(count) bytes every \(pause)") { $0.dripping(count, every: milliseconds(pause)) }
    }

    /// The right answer after a pause.
    public static func late(by pause: Duration) -> OddAnswer {
      OddAnswer("late by \(pause)") {
        $0.honest.interrupted(.pause(milliseconds: milliseconds(pause)), at: .head(0))
      }
    }

    /// No answer, on a connection that stays open.
    public static let silent = OddAnswer("silence") { $0.honest.interrupted(.stall, at: .head(0)) }

    /// Another object after each `count` requests, and the first one again after as many more.
    public static func changes(after count: Int) -> OddAnswer {
      OddAnswer("another version after each \(count) requests") { context in
        let isOther = context.memory.count("changes after \(count)") / max(1, count) % 2 == 1
        guard isOther, var object = context.object else { return nil }
        object.bytes = object.bytes.map { ~$0 }
        object.tag = .strong("another")
        object.lastModified = object.lastModified.map { $0 + 30 }
        return .honest(context.request, object, date: context.date)
      }
    }

    private static func withBody(
      _ name: String, _ change: @escaping @Sendable (ScriptedAnswer) -> ScriptedAnswer
    ) -> OddAnswer {
      OddAnswer(name) { $0.honest.isBodyless || $0.honest.body.isEmpty ? nil : change($0.honest) }
    }

    private static func milliseconds(_ pause: Duration) -> Int { max(0, Int(pause / .milliseconds(1))) }
  }

#endif
