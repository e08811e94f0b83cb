#if HTTP

  extension NumberedAnswer {
    /// Answers 14 to 23: the server refuses, for now or for good.
    func refusal(_ context: AnswerContext) -> ScriptedAnswer? {
      let isHead = context.request.method == "HEAD"
      switch self {
      case .notSatisfiableOfEmpty: return ofEmpty(context)
      case .preconditionFailed:
        guard context.request["If-Match"] != nil else { return nil }
        return .dated(ScriptedAnswer(412, text: "another version\n"), context)
      case .unauthorized:
        let challenge = ServedField("WWW-Authenticate", "Basic realm=\"tests\"")
        return .dated(ScriptedAnswer(401, [challenge], text: "who are you?\n"), context)
      case .forbiddenHead: return isHead ? .dated(ScriptedAnswer(403, text: "not for you\n"), context) : nil
      case .unsupportedHead:
        guard isHead else { return nil }
        return .dated(ScriptedAnswer(context.variant.isMultiple(of: 2) ? 405 : 501, text: "no HEAD here\n"), context)
      case .refusedAfterRedirect: return redirectAnswer(context)
      case .goneInMidRead:
        return context.request["Range"] == nil ? nil : .dated(ScriptedAnswer(404, text: "gone\n"), context)
      case .tooManyRequests:
        return .dated(
          ScriptedAnswer(
            context.variant.isMultiple(of: 2) ? 429 : 503, [ServedField("Retry-After", "0")], text: "slower, please\n"),
          context)
      case .retryAtDate: return retryAtDate(context)
      default:
        let status = [408, 500, 502, 504][context.variant % 4]
        return .dated(ScriptedAnswer(status, text: "the server failed with \(status)\n"), context)
      }
    }

    /// No HEAD, and no range of an object without bytes.
    private func ofEmpty(_ context: AnswerContext) -> ScriptedAnswer? {
      guard context.object?.bytes.isEmpty == true else { return nil }
      if context.request.method == "HEAD" { return .dated(ScriptedAnswer(405, text: "no HEAD here\n"), context) }
      guard context.request["Range"] != nil else { return nil }
      return .dated(
        ScriptedAnswer(416, [ServedField("Content-Range", "bytes */0"), ServedField("Content-Length", "0")]), context)
    }

    /// The server's clock is an hour ahead, and it asks for two seconds by it.
    private func retryAtDate(_ context: AnswerContext) -> ScriptedAnswer {
      let skewed = context.date + 3600
      return .dated(
        ScriptedAnswer(
          503,
          [ServedField("Date", HTTPTime.text(skewed)), ServedField("Retry-After", HTTPTime.text(skewed + 2))],
          text: "later, please\n"), context)
    }
  }

#endif
