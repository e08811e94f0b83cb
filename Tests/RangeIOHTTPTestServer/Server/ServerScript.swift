#if HTTP

  /// Decides what a ``LyingServer`` answers.
  public struct ServerScript: Sendable {
    /// What is answered to a request.
    public let answer: @Sendable (AnswerContext) -> ScriptedAnswer

    /// Answers each request as `answer` says. It is called on the server's event loops, so it must not wait.
    public init(_ answer: @escaping @Sendable (AnswerContext) -> ScriptedAnswer) { self.answer = answer }

    /// What a server should answer.
    public static let honest = ServerScript { $0.honest }

    /// `lie` wherever it applies. At the locations of its redirects, what belongs there.
    ///
    /// - Parameters:
    ///   - variant: which form of it.
    ///   - times: to how many requests, and honest to all after them. `nil`: to all.
    ///   - skipping: to how many requests to which it applies the server is honest first.
    public static func always(
      _ lie: NumberedAnswer, variant: Int = 0, times: Int? = nil, skipping: Int = 0
    ) -> ServerScript {
      ServerScript { context in
        if let answer = NumberedAnswer.atLocation(context) { return answer }
        var context = context
        context.variant = variant
        guard let answer = lie.answer(context) else { return context.honest }
        let told = context.memory.count("lie \(lie.number)")
        return told >= skipping && told - skipping < times ?? .max ? answer : context.honest
      }
    }

    /// `odd` wherever it applies: to the first `times` such requests, `nil` for all. At the locations of its redirects, what
    /// belongs there.
    public static func always(_ odd: OddAnswer, times: Int? = nil) -> ServerScript {
      let told = ServerMemory()
      return ServerScript { context in
        if let answer = NumberedAnswer.atLocation(context) { return answer }
        guard let answer = odd.answer(context), told.count("") < times ?? .max else { return context.honest }
        context.note(odd)
        return answer
      }
    }

    /// The first of `answers` to the first request, the next one to the next; then, and where there is `nil` or one that does
    /// not apply, the honest one.
    public static func inTurn(_ answers: [OddAnswer?]) -> ServerScript {
      let turns = ServerMemory()
      return ServerScript { context in
        if let answer = NumberedAnswer.atLocation(context) { return answer }
        let turn = turns.count("")
        guard turn < answers.count, let odd = answers[turn], let answer = odd.answer(context) else {
          return context.honest
        }
        context.note(odd)
        return answer
      }
    }

    /// Each of `answers` in `rate` of the requests, chosen by the seed and the number of the request; else the honest one.
    /// They get a variant to choose by.
    public static func odd(_ seed: UInt64, rate: Double, _ answers: [OddAnswer]) -> ServerScript {
      ServerScript { context in
        if let answer = NumberedAnswer.atLocation(context) { return answer }
        let chance = mixed(seed &+ mixed(UInt64(context.request.number)))
        let place = Double(chance >> 11) / Double(1 << 53) / rate
        // Also where there is no rate.
        guard place >= 0, place < Double(answers.count) else { return context.honest }
        let index = Int(place)
        var context = context
        context.variant = Int(mixed(chance) >> 8 & 0xFFFF)
        guard let answer = answers[index].answer(context) else { return context.honest }
        context.note(answers[index])
        return answer
      }
    }

    /// In a part `probability` of the requests for a range, the body is cut at a byte that the seed chooses, by
    /// `action`.
    public static func cutting(
      _ seed: UInt64, probability: Double, by action: Interruption.Action
    ) -> ServerScript {
      ServerScript { context in
        let chance = mixed(seed &+ mixed(UInt64(context.request.number)))
        guard context.range != nil, Double(chance >> 11) / Double(1 << 53) < probability else { return context.honest }
        let offset = Int(mixed(chance) % UInt64(max(1, context.honest.body.count)))
        return context.honest.interrupted(action, at: .body(offset))
      }
    }
  }

  extension AnswerContext {
    /// For ``LyingServer/told(_:)``.
    fileprivate func note(_ odd: OddAnswer) { _ = memory.count("told \(odd.name)") }
  }

#endif
