#if HTTP

  import RangeIOHTTPTestServer

  /// Requests as text, for `RawClient`.
  enum Wire {
    /// A request, after which the server closes the connection if it is one of a client that asks for that.
    static func request(
      _ method: String = "GET", _ target: String = "/object", _ fields: [String] = [], closing: Bool = true
    ) -> String {
      let lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + fields + (closing ? ["Connection: close"] : [])
      return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A request for `range`.
    static func range(_ range: Range<Int>, _ fields: [String] = [], closing: Bool = true) -> String {
      request("GET", "/object", ["Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"] + fields, closing: closing)
    }
  }

  extension RawClient.Received {
    /// The status code of the first answer.
    var status: Int? { text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) } }

    /// `true` if the head has this line, without regard to case.
    func has(_ line: String) -> Bool {
      // Swift sees CR LF as one character.
      parts.head.split(separator: "\r\n").contains { $0.lowercased() == line.lowercased() }
    }
  }

  extension ScriptedAnswer {
    /// A small answer with a length.
    static func small(_ text: String = "0123456789") -> ScriptedAnswer { ScriptedAnswer(200, text: text) }

    /// The same, after which the connection is closed.
    var closing: ScriptedAnswer {
      var answer = self
      answer.ending = .close
      return answer
    }
  }

#endif
