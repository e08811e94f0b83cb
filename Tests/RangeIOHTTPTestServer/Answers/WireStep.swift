#if HTTP

  /// What a connection does next.
  enum WireStep: Sendable {
    /// Bytes are sent: of a head or a body.
    case send(ArraySlice<UInt8>, isBody: Bool)
    /// Something happens.
    case act(Interruption.Action)
  }

  extension ScriptedAnswer {
    /// The head as HTTP/1.1 has it on the wire.
    public var headBytes: [UInt8] {
      if let head { return head }
      // Three digits, also where there is no such status.
      let digits = String(repeating: "0", count: max(0, 3 - "\(status)".count)) + "\(status)"
      var text = "HTTP/1.1 \(digits) \(reason)\r\n"
      for field in fields { text += "\(field.name): \(field.value)\r\n" }
      return Array((text + "\r\n").utf8)
    }

    /// The answer as steps of a connection of HTTP/1.1, without its ending.
    var wireSteps: [WireStep] {
      var head = headBytes[...]
      if case .chunked = framing {
        var answer = self
        answer.fields["Content-Length"] = nil
        answer.fields["Transfer-Encoding"] = "chunked"
        head = answer.headBytes[...]
      }
      var steps = cut(head, isBody: false) { if case .head(let offset) = $0 { offset } else { nil } }
      steps += cut(isBodyless ? [] : body, isBody: true) { if case .body(let offset) = $0 { offset } else { nil } }
      if case .chunked(let size) = framing, !isBodyless { steps = Self.chunked(steps, size) }
      if !preamble.isEmpty { steps.insert(.send(preamble[...], isBody: false), at: 0) }
      if !trailing.isEmpty { steps.append(.send(trailing[...], isBody: false)) }
      return steps
    }

    /// `bytes` in parts, between which the interruptions of this part of the answer happen; those at or after its end
    /// are the last.
    func cut(
      _ bytes: ArraySlice<UInt8>, isBody: Bool, _ offset: (Interruption.Place) -> Int?
    ) -> [WireStep] {
      var (steps, sent) = ([WireStep](), 0)
      let here = interruptions.compactMap { one in offset(one.place).map { (offset: $0, action: one.action) } }
      for one in here.enumerated().sorted(by: { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }) {
        let end = min(max(one.element.offset, sent), bytes.count)
        if end > sent { steps.append(.send(bytes.dropFirst(sent).prefix(end - sent), isBody: isBody)) }
        sent = end
        steps.append(.act(one.element.action))
      }
      if sent < bytes.count { steps.append(.send(bytes.dropFirst(sent), isBody: isBody)) }
      return steps
    }

    /// The same steps with the body in chunks (RFC 9112, 7.1) and the last chunk.
    private static func chunked(_ steps: [WireStep], _ size: Int) -> [WireStep] {
      var all: [WireStep] = []
      for step in steps {
        guard case .send(var bytes, isBody: true) = step else {
          all.append(step)
          continue
        }
        while !bytes.isEmpty {
          let part = bytes.prefix(max(1, size))
          bytes = bytes.dropFirst(part.count)
          all.append(.send(Array("\(String(part.count, radix: 16))\r\n".utf8)[...], isBody: false))
          all.append(.send(part, isBody: true))
          all.append(.send(Array("\r\n".utf8)[...], isBody: false))
        }
      }
      return all + [.send(Array("0\r\n\r\n".utf8)[...], isBody: false)]
    }
  }

#endif
