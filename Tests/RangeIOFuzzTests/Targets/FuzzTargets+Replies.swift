@testable import RangeIO

#if SharedCache
  import RangeIOSupport

  @testable import RangeIOSharedCache

  /// What memcached and Redis answer, and the values in them.
  extension FuzzTargets {
    static let replies: [FuzzTarget] = [
      FuzzTarget(
        "redis",
        texts: [
          "\u{5}$5\r\nhello\r\n_\r\n+OK\r\n-ERR x\r\n", "\u{1}%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n$3\r\nabc\r\n$-1\r\n",
        ],
        words: ["\r\n", "$", "*", "%", "-1", "9223372036854775807", "-9223372036854775808", "1024", "="]
      ) { try isTheSameInPieces(Array($0.utf8)) { RESPReplyParser(valueLimit: 1000) } },
      FuzzTarget(
        "memcached",
        texts: ["\u{3}VA 5 O0 W\r\nhello\r\nEN\r\nHD O2\r\n", "\u{9}MN\r\nVA 0 Z\r\n\r\nSERVER_ERROR x\r\nNS O3\r\n"],
        words: ["\r\n", "VA ", "EN", "O", "4294967295", "9223372036854775807", " W", " Z", "-1"]
      ) { try isTheSameInPieces(Array($0.utf8)) { MetaReplyParser(valueLimit: 1000) } },
      FuzzTarget("frames", seeds: [[0] + frame, [1] + frame], words: ["RIOB"]) { bytes in
        guard bytes.count > 32 else { return }
        var value = Array(bytes.dropFirst())
        if bytes[0] & 1 == 1 {
          let sum = Bytes(value[32...]).crc32c(continuing: Bytes(value[..<28]).crc32c())
          for index in 0..<4 { value[28 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index))) }
        }
        // `try?`: most values are none of ours.
        guard let contents = try? BlockFrame(keys: nil).contents(of: Bytes(value), block: 1, in: family) else { return }
        try promise(contents.count == family.count(of: 1), "\(contents.count) bytes of a block")
      },
    ]

    private struct Version: SourceDescription.Validator {
      var persistentForm: [UInt8]? { [1] }
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .same }
    }
    private static let family = BlockFamily(
      SourceDescription(id: "a", validator: Version(), byteCount: 600), blockSize: 512)!
    // `try?`: without keys nothing fails.
    private static let frame =
      (try? BlockFrame(keys: nil).value(of: Bytes([UInt8](repeating: 7, count: 88)), block: 1, in: family))
      .map { Array($0) } ?? []

    /// The first byte says in which pieces the rest comes: what they mean is the same.
    private static func isTheSameInPieces(_ bytes: [UInt8], _ parser: () -> some ReplyParser) throws {
      let text = Array(bytes.dropFirst())
      let (whole, pieces) = (
        meaning(text, of: text.count, parser()), meaning(text, of: Int(bytes.first ?? 0) % 16 + 1, parser())
      )
      try promise(whole == pieces, "\(whole) in one piece, \(pieces) in several")
    }

    private static func meaning(_ text: [UInt8], of count: Int, _ parser: some ReplyParser) -> [String] {
      var (parser, found) = (parser, [String]())
      do {
        for start in stride(from: 0, to: text.count, by: max(1, count)) {
          try text[start..<min(text.count, start + count)].withUnsafeBytes { piece in
            try parser.consume(piece) { found.append(summary($0)) }
          }
        }
      } catch {
        found.append("fault")
      }
      return found
    }

    private static func summary(_ reply: NodeReply) -> String {
      if case .value(let bytes) = reply { "value \(Array(bytes))" } else { "\(reply)" }
    }
  }
#else
  extension FuzzTargets {
    static let replies: [FuzzTarget] = []
  }
#endif
