#if HTTP

  extension OddAnswer {
    /// Statuses that a request for a range should not get, and places that lead nowhere.
    static let statuses =
      [201, 205, 207, 300, 402, 406, 407, 409, 418, 421, 429, 451, 505, 511, 599].map { status in
        OddAnswer("status \(status)", .fails("\(status)")) {
          .dated(ScriptedAnswer(status, text: "status \(status)\n"), $0)
        }
      }
      + [-1, 0, 1, 99].map { status in
        OddAnswer("impossible status \(status)", .fails("not HTTP")) {
          .dated(ScriptedAnswer(status, text: "no status\n"), $0)
        }
      } + [
        OddAnswer("403 in the middle of reading", .fails("")) {
          $0.range == nil ? nil : .dated(ScriptedAnswer(403, text: "not any more\n"), $0)
        },
        OddAnswer("304 with the bytes", .fails("304")) { $0.range == nil ? nil : with(304, $0) },
        OddAnswer("203 with the bytes", .either) { $0.range == nil ? nil : with(203, $0) },
        OddAnswer("busy for ever", .fails("503")) { busy("9223372036854775807", $0) },
        OddAnswer("busy, and a wait that is none", .fails("503")) { busy("-5, tomorrow", $0) },
        OddAnswer("a redirect without a place", .fails("Location")) { moved(nil, $0) },
        OddAnswer("a redirect to another scheme than HTTP", .fails("")) { moved("ftp://127.0.0.1/object", $0) },
        OddAnswer("a redirect to a file", .fails("")) { moved("file:///etc/passwd", $0) },
        OddAnswer("a redirect to no URL", .fails("")) { moved("http://[::1", $0) },
        OddAnswer("a redirect to where nothing listens", .fails("")) { moved("http://127.0.0.1:1/object", $0) },
        OddAnswer("a redirect elsewhere and back", .reads) { context in
          guard context.hop == nil, let elsewhere = context.elsewhere else { return nil }
          return moved("\(elsewhere)\(context.request.rawPath)?hop=\(thereAndBack)-0&back=\(context.origin)", context)
        },
      ]

    /// The number in locations that lead back to where the client came from; no numbered answer has it.
    static let thereAndBack = 60

    /// What is said at such a location.
    static func back(_ context: AnswerContext) -> ScriptedAnswer? {
      context.request.parameter("back").flatMap { moved("\($0)\(context.request.rawPath)?hop=61-0", context) }
    }

    private static func with(_ status: Int, _ context: AnswerContext) -> ScriptedAnswer {
      var answer = context.honest
      answer.status = status
      answer.ending = .close
      return answer
    }

    private static func busy(_ wait: String, _ context: AnswerContext) -> ScriptedAnswer {
      .dated(ScriptedAnswer(503, [ServedField("Retry-After", wait)], text: "later\n"), context)
    }

    private static func moved(_ location: String?, _ context: AnswerContext) -> ScriptedAnswer? {
      guard context.hop == nil || context.request.parameter("back") != nil else { return nil }
      return .dated(ScriptedAnswer(302, location.map { [ServedField("Location", $0)] } ?? [], text: "moved\n"), context)
    }
  }

  extension ServerRequest {
    /// The target without the query, as on the wire.
    var rawPath: String { String(target.prefix { $0 != "?" }) }
  }

#endif
