#if HTTP

  extension NumberedAnswer {
    /// Answers 25 to 32: validators and lengths that say less than they should, or something else.
    func validatorAnswer(_ context: AnswerContext) -> ScriptedAnswer? {
      let isHead = context.request.method == "HEAD"
      var answer = unconditional(context)
      guard answer.status == 200 || answer.status == 206 else { return nil }
      switch self {
      case .noTag:
        answer.fields["ETag"] = nil
        if !context.variant.isMultiple(of: 2) { answer.fields["Last-Modified"] = nil }
      case .weakTag:
        guard let tag = answer.fields["ETag"], !tag.hasPrefix("W/") else { return nil }
        answer.fields["ETag"] = "W/" + tag
      case .alternatingTags:
        answer.fields["ETag"] = context.memory.count("tag").isMultiple(of: 2) ? "\"backend-a\"" : "\"backend-b\""
      case .unquotedTag:
        let text = (answer.fields["ETag"] ?? "\"none\"").filter { $0 != "\"" }
        answer.fields["ETag"] = context.variant.isMultiple(of: 2) ? text : "\"\(text)-gzip\""
      case .youngLastModified:
        answer.fields["ETag"] = nil
        answer.fields["Last-Modified"] = HTTPTime.text(context.date)
      case .contentEncoding:
        guard !isHead else { return nil }
        answer.fields["Content-Encoding"] = "gzip"
        answer.body = Array(answer.body.map { $0 ^ 0x5A })[...]
      case .encodedLengthOfHead:
        guard isHead, let length = answer.fields["Content-Length"].flatMap({ Int($0) }) else { return nil }
        answer.fields["Content-Encoding"] = "gzip"
        answer.fields["Content-Length"] = "\(length / 3 + 20)"
      default:
        guard isHead else { return nil }
        answer.fields["Content-Length"] = nil
      }
      return answer
    }

    /// The honest answer of a server that knows the tag by which the client asks for another of its own.
    private func unconditional(_ context: AnswerContext) -> ScriptedAnswer {
      guard context.honest.status == 412, let object = context.object else { return context.honest }
      guard let range = context.request.range?.resolved(in: object.bytes.count) else {
        return .dated(.whole(object), context)
      }
      return .dated(.part(range, of: object), context)
    }

    /// Answers 33 to 38: lengths, conditions and caches.
    func headerAnswer(_ context: AnswerContext) -> ScriptedAnswer? {
      var answer = context.honest
      switch self {
      case .chunkedPart:
        guard context.range != nil, !context.request.isHTTP2 else { return nil }
        answer.framing = .chunked(1000)
      case .wrongLengths: return wrongLengths(context)
      case .noAcceptRanges: answer.fields["Accept-Ranges"] = context.variant.isMultiple(of: 2) ? "none" : nil
      case .refusedConditions:
        guard context.request["If-Match"] != nil, context.object != nil else { return nil }
        let status = [412, 400, 501][context.variant % 3]
        return .dated(ScriptedAnswer(status, text: "If-Match is not to my liking\n"), context)
      case .staleCache:
        guard let previous = context.previous, context.request["Cache-Control"]?.contains("no-cache") != true else {
          return nil
        }
        var request = context.request
        request.fields["If-Match"] = nil
        answer = .honest(request, previous, date: context.date)
        answer.fields.append(ServedField("Age", "3600"))
      default:
        let isFirst = context.memory.count("vary").isMultiple(of: 2)
        answer.fields["Vary"] = isFirst ? "Accept-Encoding" : "Origin, Accept-Encoding"
      }
      return answer
    }

    /// Two lengths that differ, a length that is too small, one that is too large.
    private func wrongLengths(_ context: AnswerContext) -> ScriptedAnswer? {
      guard let range = context.range, range.count > 1 else { return nil }
      var answer = context.honest
      switch context.variant % 3 {
      case 0: answer.fields.append(ServedField("Content-Length", "\(range.count - 1)"))
      case 1: answer.fields["Content-Length"] = "\(range.count / 2)"
      default: answer.fields["Content-Length"] = "\(range.count + 100)"
      }
      answer.ending = .close
      return answer
    }
  }

#endif
