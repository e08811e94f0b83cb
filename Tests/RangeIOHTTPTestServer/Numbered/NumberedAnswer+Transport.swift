#if HTTP

  extension NumberedAnswer {
    /// Answers 44 to 53: the connection breaks or dawdles, or the bytes are wrong.
    func transportAnswer(_ context: AnswerContext) -> ScriptedAnswer? {
      let answer = context.honest
      let middle = Interruption.Place.body(answer.body.count / 2)
      switch self {
      case .resetOfPooled:
        // A server closes what it kept open; a new connection it serves.
        guard context.request.numberOnConnection > 0, !context.request.isHTTP2 else { return nil }
        return answer.interrupted(.reset, at: .head(0))
      case .goAway: return goAway(context)
      case .giantHeaders: return giant(context)
      default:
        guard context.range != nil, !answer.body.isEmpty else { return nil }
      }
      switch self {
      case .resetInBody: return answer.interrupted(.reset, at: middle)
      case .endWithoutNotify: return answer.interrupted(.closeWithoutNotify, at: middle)
      case .resetStream: return answer.interrupted(.resetStream, at: middle)
      // At most 10,000 drops, which takes minutes.
      case .slowLoris: return answer.dripping(answer.body.count / 10_000 + 1, every: 20)
      case .stallAfterHead: return answer.interrupted(.stall, at: .body(0))
      case .bytesAfterBody:
        guard !context.request.isHTTP2 else { return nil }
        var answer = answer
        answer.trailing = Array("bytes that nobody asked for".utf8)
        return answer
      default:
        guard let object = context.object, let range = context.range, range.upperBound < object.bytes.count else {
          return nil
        }
        var answer = answer
        answer.body = object.bytes[range.lowerBound + 1..<range.upperBound + 1]
        return answer
      }
    }

    /// The connection ends with this answer, which comes whole.
    private func goAway(_ context: AnswerContext) -> ScriptedAnswer {
      if context.request.isHTTP2 { return context.honest.interrupted(.goAway, at: .head(0)) }
      var answer = context.honest
      answer.fields["Connection"] = "close"
      answer.ending = .close
      return answer
    }

    /// One field of 128 KiB, 2,000 fields, or 16 fields of 8 KiB.
    private func giant(_ context: AnswerContext) -> ScriptedAnswer {
      var answer = context.honest
      switch context.variant % 3 {
      case 0: answer.fields.append(ServedField("X-Padding", String(repeating: "x", count: 128 << 10)))
      case 1: answer.fields += (0..<2000).map { ServedField("X-Padding-\($0)", "x") }
      default:
        answer.fields += (0..<16).map { ServedField("X-Padding-\($0)", String(repeating: "x", count: 8 << 10)) }
      }
      return answer
    }
  }

#endif
