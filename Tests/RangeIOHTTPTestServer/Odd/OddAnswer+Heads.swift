#if HTTP

  extension OddAnswer {
    /// Heads that are not by the letter and are read, on one connection.
    public static let plainHeads = [
      head("no space after colons", .reads) { $0.replacing(": ", with: ":") },
      head("a tab after colons", .reads) { $0.replacing(": ", with: ":\t") },
      head(.reads, adding: "Content-Disposition: attachment; filename=d\u{e9}j\u{e0}.bin"),
      head("an interim head before", .reads) { "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + $0 },
    ]

    /// Those that can be mended and are read, each on a connection of its own.
    public static let mendedHeads = [
      head(.reads, adding: "X-Long: a\r\n  b"), head(.reads, adding: "X-Note : 1"),
      head("lines end in LF alone", .reads) { $0.replacing("\r\n", with: "\n") },
      head("interim heads with LF alone", .reads) { "HTTP/1.1 100 Continue\n\n" + $0.replacing("\r\n", with: "\n") },
      head("a length twice", .reads) { String($0.dropLast()) + length($0) + "\r\n\r\n" },
      head("a length in a list", .reads) {
        $0.replacing(length($0), with: length($0) + ", " + length($0).dropFirst(16))
      },
    ]

    /// Those that may be an attack, and stay refused.
    public static let refusedHeads = [
      refused("another length") { String($0.dropLast()) + length($0) + "0\r\n\r\n" },
      refused(adding: "X Note: 1"), refused(adding: "X: a\u{0}b"), refused(adding: "X: a\u{1}b"),
      refused(adding: "X: a\rContent-Length: 0"), refused(adding: "X: a\nContent-Length: 0"),
      refused(adding: "X: a\n\nHTTP/1.1 200 OK"),
      refused("the last line ends in LF alone") { String($0.dropLast()) + "\n" },
      refused("no HTTP") { $0.replacing("HTTP/1.1", with: "ICY") },
      refused("a length beside other codings") { String($0.dropLast()) + "Transfer-Encoding: gzip, chunked\r\n\r\n" },
    ]

    /// A change to each head, as text in Latin-1.
    static func head(
      _ name: String, _ outcome: Outcome, _ change: @escaping @Sendable (String) -> String
    ) -> OddAnswer {
      OddAnswer(name, outcome) { context in
        var answer = context.honest
        answer.head = latin1(change(String(decoding: answer.headBytes, as: UTF8.self)))
        return answer
      }
    }

    /// More lines before the empty one.
    private static func head(_ outcome: Outcome, adding lines: String) -> OddAnswer {
      head(lines.debugDescription, outcome) { String($0.dropLast()) + lines + "\r\n\r\n" }
    }

    private static func refused(_ name: String, _ change: @escaping @Sendable (String) -> String) -> OddAnswer {
      head(name, .fails("not HTTP"), change)
    }

    private static func refused(adding lines: String) -> OddAnswer { head(.fails("not HTTP"), adding: lines) }

    /// Characters as bytes of Latin-1.
    public static func latin1(_ text: String) -> [UInt8] {
      // Swift sees CR LF as one character.
      text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    private static func length(_ head: String) -> String {
      head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length") }.map(String.init) ?? ""
    }
  }

#endif
