#if HTTP

  extension NumberedAnswer {
    /// Answers 1 to 13 and 24: ranges that are not what was asked for.
    func statusAnswer(_ context: AnswerContext) -> ScriptedAnswer? {
      guard let object = context.object, let range = context.range else {
        // A portal answers everything.
        return self == .captivePortal && context.request.method == "GET" ? portal(context) : nil
      }
      var answer = context.honest
      switch self {
      case .wholeForSmall: return range.lowerBound == 0 ? .dated(.whole(object), context) : nil
      case .wholeForRange: return .dated(.whole(object), context)
      case .wholeWithContentRange: answer.status = 200
      case .partWithoutContentRange: answer.fields["Content-Range"] = nil
      case .anotherStart: return otherStart(range, object, context)
      case .shorterPart:
        guard range.count > 1 else { return nil }
        return .dated(.part(range.prefix((range.count + 1) / 2), of: object), context)
      case .longerPart: return longer(range, object, context)
      case .unknownTotal:
        answer.fields["Content-Range"] =
          context.variant.isMultiple(of: 2) ? "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" : "bytes */*"
      case .anotherTotal:
        answer.fields["Content-Range"] =
          "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.bytes.count + 1)"
      case .multipart: return multipart(range, object, context)
      case .unaskedStatus:
        var answer = ScriptedAnswer([204, 202, 304][context.variant % 3])
        answer.fields["Content-Length"] = answer.status == 202 ? "0" : nil
        answer.isBodyless = true
        return .dated(answer, context)
      case .notSatisfiableWithTotal:
        let total = object.bytes.count + context.variant % 2
        return .dated(
          ScriptedAnswer(416, [ServedField("Content-Range", "bytes */\(total)"), ServedField("Content-Length", "0")]),
          context)
      case .notSatisfiableBare: return .dated(ScriptedAnswer(416, text: ""), context)
      default: return portal(context)
      }
      return answer
    }

    private func portal(_ context: AnswerContext) -> ScriptedAnswer {
      let page = "<!DOCTYPE html><html><body>Please sign in to the network.</body></html>"
      return .dated(ScriptedAnswer(200, text: page, type: "text/html"), context)
    }

    /// As many bytes from one byte later, or earlier at the end; the head says so.
    private func otherStart(_ range: Range<Int>, _ object: ServedObject, _ context: AnswerContext) -> ScriptedAnswer? {
      let other =
        range.upperBound < object.bytes.count
        ? range.lowerBound + 1..<range.upperBound + 1 : range.lowerBound - 1..<range.upperBound - 1
      return other.lowerBound < 0 ? nil : .dated(.part(other, of: object), context)
    }

    /// Up to 4 KiB more than asked for; the head says so.
    private func longer(_ range: Range<Int>, _ object: ServedObject, _ context: AnswerContext) -> ScriptedAnswer? {
      let end = min(range.upperBound + 4096, object.bytes.count)
      return end == range.upperBound ? nil : .dated(.part(range.lowerBound..<end, of: object), context)
    }

    /// The range as a multipart of one part or of two (RFC 9110, 14.6).
    private func multipart(_ range: Range<Int>, _ object: ServedObject, _ context: AnswerContext) -> ScriptedAnswer {
      let middle = context.variant.isMultiple(of: 2) ? range.upperBound : range.lowerBound + range.count / 2
      var body: [UInt8] = []
      for part in [range.lowerBound..<middle, middle..<range.upperBound] where !part.isEmpty {
        body += Array(
          """
          \r\n--parts\r
          Content-Type: \(object.contentType)\r
          Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(object.bytes.count)\r
          \r\n
          """.utf8)
        body += object.bytes[part]
      }
      body += Array("\r\n--parts--\r\n".utf8)
      var answer = ScriptedAnswer(206, context.honest.fields, body: body[...])
      answer.fields["Content-Range"] = nil
      answer.fields["Content-Type"] = "multipart/byteranges; boundary=parts"
      answer.fields["Content-Length"] = "\(body.count)"
      return answer
    }
  }

  extension ScriptedAnswer {
    /// `answer` with the server's time.
    static func dated(_ answer: ScriptedAnswer, _ context: AnswerContext) -> ScriptedAnswer {
      var answer = answer
      if answer.fields["Date"] == nil { answer.fields.insert(ServedField("Date", HTTPTime.text(context.date)), at: 0) }
      if context.request.method == "HEAD" { answer.isBodyless = true }
      return answer
    }
  }

#endif
