#if SharedCache
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  struct ReplyParserTests {
    /// The replies in `text`, which comes in pieces by `seed`.
    private func replies(_ parser: any ReplyParser, _ text: [UInt8], seed: UInt64) throws -> [NodeReply] {
      var (parser, numbers, all) = (parser, SeededNumbers(seed), [NodeReply]())
      var rest = text[...]
      while !rest.isEmpty {
        let piece = rest.prefix(1 + numbers.below(seed == 0 ? rest.count : min(rest.count, 1 + numbers.below(40))))
        rest = rest.dropFirst(piece.count)
        try piece.withUnsafeBytes { bytes in try parser.consume(bytes) { all.append($0) } }
      }
      return all
    }

    private let value = [UInt8]("\r\nVA 3 W\r\n".utf8) + (0...255)

    @Test(arguments: 0..<200 as Range<UInt64>) func `memcached's answers come in any pieces`(_ seed: UInt64) throws {
      var text = [UInt8]("VA \(value.count) O0\r\n".utf8) + value
      text += [UInt8](
        "\r\nEN\r\nVA 0 O2 W\r\n\r\nVA 0 Z O3\r\n\r\nHD O4\r\nNS O5\r\nSERVER_ERROR object too large for cache\r\n".utf8
      )
      text += [UInt8]("VA 1 O7\r\nx\r\nMN\r\nEN\r\n".utf8)
      #expect(
        try replies(MetaReplyParser(valueLimit: 1000), text, seed: seed) == [
          .value(Bytes(value)), .missing, .leased, .awaited, .stored, .refused("NS"),
          .refused("SERVER_ERROR object too large for cache"), .value([UInt8(ascii: "x")]), .stored, .missing,
        ])
    }

    @Test(arguments: [
      "VA 1001 O0\r\n", "VA -1 O0\r\n", "VA x\r\n", "VA\r\n", "HD O1\r\n", "HD Ox\r\n", "EN\n",
      "HTTP/1.1 400 Bad Request\r\n",
      "VA 2 O0\r\nabc\r\n", "VA 0 O0\r\nHD O1\r\n", "ERROR\r\n", "\r\n", String(repeating: "a", count: 5000),
    ]) func `what is no answer of memcached, or another one's, is noticed`(_ text: String) {
      for seed in 0..<20 as Range<UInt64> {
        #expect(throws: ProtocolFault.self) {
          try replies(MetaReplyParser(valueLimit: 1000), Array(text.utf8), seed: seed)
        }
      }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `Redis' answers come in any pieces`(_ seed: UInt64) throws {
      var text = [UInt8](
        "%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n+modules\r\n*2\r\n:1\r\n%1\r\n+a\r\n$-1\r\n$\(value.count)\r\n".utf8)
      text += value
      text += [UInt8]("\r\n_\r\n$-1\r\n+OK\r\n-ERR full\r\n*-1\r\n:1\r\n%0\r\n$0\r\n\r\n$1\r\nx\r\n".utf8)
      #expect(
        try replies(RESPReplyParser(valueLimit: 1000), text, seed: seed) == [
          .stored, .value(Bytes(value)), .missing, .missing, .stored, .refused("ERR full"), .missing, .stored, .stored,
          .value(Bytes()), .value([UInt8(ascii: "x")]),
        ])
    }

    @Test(arguments: [
      "$1001\r\n", "$x\r\n", "*100000\r\n", "HD\r\n", "\r\n", "$2\r\nabc\r\n", "*1\r\n$100000\r\n",
      "$" + String(repeating: "1", count: 5000),
    ]) func `what is no answer of Redis is noticed`(_ text: String) {
      for seed in 0..<20 as Range<UInt64> {
        #expect(throws: ProtocolFault.self) {
          try replies(RESPReplyParser(valueLimit: 1000), Array(text.utf8), seed: seed)
        }
      }
    }

    @Test func `noise ends in a fault or waits for more, and never crashes`() {
      for seed in 1...2000 as ClosedRange<UInt64> {
        var numbers = SeededNumbers(seed)
        let letters = Array("VAEHDNSO0123456789 $*%_+-:\r\n\r\nWZ".utf8)
        let text = (0..<numbers.below(300)).map { _ in letters[numbers.below(letters.count)] }
        // `try?`: either is right.
        _ = try? replies(MetaReplyParser(valueLimit: 1000), text, seed: seed)
        // `try?`: either is right.
        _ = try? replies(RESPReplyParser(valueLimit: 1000), text, seed: seed)
      }
    }
  }
#endif
