import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ByteStreamLinesTests {
  private func lines(_ content: [UInt8], chunkSize: Int = 64, longest: Int = 1 << 20) async throws -> [String] {
    let reader = try await RangeReader(ContentSource(content))
    var lines: [String] = []
    for try await line in reader.stream(chunkSize: .bytes(chunkSize)).lines(maxLength: .bytes(longest)) {
      lines.append(line)
    }
    return lines
  }

  private func lines(_ text: String, chunkSize: Int = 64, longest: Int = 1 << 20) async throws -> [String] {
    try await lines(Array(text.utf8), chunkSize: chunkSize, longest: longest)
  }

  @Test(
    arguments: [
      ("", []), ("\n", [""]), ("\n\n", ["", ""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]),
      ("\na", ["", "a"]),
      ("a\r\nb\r\n", ["a", "b"]), ("\r\n\r\n", ["", ""]), ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]),
      ("no\nfinal", ["no", "final"]), ("mixed\r\nends\nhere", ["mixed", "ends", "here"]),
      ("ünïcode\n日本\n🏝️", ["ünïcode", "日本", "🏝️"]), ("a\r", ["a\r"]), ("\r", ["\r"]),
      ("a\u{2028}b\u{85}c\u{B}d\n", ["a\u{2028}b\u{85}c\u{B}d"]),
    ] as [(String, [String])])
  func `lines end with a line feed, in pieces of every size`(text: String, wanted: [String]) async throws {
    for chunkSize in [1, 2, 3, 5, 64] {
      #expect(try await lines(text, chunkSize: chunkSize) == wanted, "pieces of \(chunkSize)")
    }
  }

  @Test func `what is not UTF-8 becomes the replacement character`() async throws {
    let content: [UInt8] = [0x61, 0xFF, 0x62, 0x0A, 0xE6, 0x97, 0x0A, 0xC3]
    for chunkSize in [1, 64] {
      #expect(try await lines(content, chunkSize: chunkSize) == ["a\u{FFFD}b", "\u{FFFD}", "\u{FFFD}"])
    }
  }

  @Test func `a line as long as the bound passes, one byte more does not`() async throws {
    for chunkSize in [1, 2, 4, 5, 64] {
      #expect(try await lines("abcd\nef\n", chunkSize: chunkSize, longest: 4) == ["abcd", "ef"])
      #expect(try await lines("ab\nabcd", chunkSize: chunkSize, longest: 4) == ["ab", "abcd"])
      for text in ["abcde\nef\n", "abcde"] {
        let error = await #expect(throws: ReadError.self) {
          try await lines(text, chunkSize: chunkSize, longest: 4)
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("4 bytes") == true)
        #expect(error?.context?.source.isEmpty == false)
      }
    }
  }

  @Test func `lines go across the seams of ropes`() async throws {
    let content = Array("one\ntwo\r\n\nthree\r\nfour".utf8)
    let source = ContentSource(content) { range, all in
      Bytes(concatenating: range.map { all.slice($0..<$0 + 1) })
    }
    for chunkSize in [1, 3, 7, 64] {
      var lines: [String] = []
      for try await line in try await RangeReader(source).stream(chunkSize: .bytes(chunkSize)).lines {
        lines.append(line)
      }
      #expect(lines == ["one", "two", "", "three", "four"])
    }
  }

  @Test func `a bound of nothing and one of everything are bounds, too`() async throws {
    #expect(try await lines("\n\n", longest: 0) == ["", ""])
    await #expect(throws: ReadError.self) { try await lines("a\n", longest: 0) }
    #expect(try await lines("ab\ncd", chunkSize: 1, longest: .max) == ["ab", "cd"])
  }

  @MainActor @Test func `a loop on the main actor stays there`() async throws {
    let reader = try await RangeReader(ContentSource(Array("a\nb\nc".utf8)))
    var all: [String] = []
    for try await line in reader.stream(chunkSize: .bytes(1)).lines {
      MainActor.assertIsolated()
      all.append(line)
    }
    #expect(all == ["a", "b", "c"])
  }

  @Test func `lines before one that is too long are delivered, and none after`() async throws {
    let reader = try await RangeReader(ContentSource(Array("ok\ntoo long\nok\n".utf8)))
    var iterator = reader.stream().lines(maxLength: .bytes(4)).makeAsyncIterator()
    #expect(try await iterator.next() == "ok")
    await #expect(throws: ReadError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a reader's lines take another bound`() async throws {
    let reader = try await RangeReader(ContentSource(Array("ok\ntoo long\n".utf8)))
    var lines: [String] = []
    let error = await #expect(throws: ReadError.self) {
      for try await line in reader.stream().lines(maxLength: .bytes(4)) { lines.append(line) }
    }
    #expect(lines == ["ok"] && error?.code == .limitExceeded)
    await reader.close()
  }

  @Test func `an error in the middle of a line does not make its beginning a line`() async throws {
    let failsAt = 1024 * 1024  // the second window
    let content = [UInt8](repeating: UInt8(ascii: "x"), count: failsAt + 100)
    let source = ContentSource(content) { range, all in
      if range.lowerBound >= failsAt { throw Refusal.no }
      return all.slice(range)
    }
    var iterator = try await RangeReader(source).stream().lines(maxLength: .mebibytes(8)).makeAsyncIterator()
    await #expect(throws: Refusal.no) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: testSeeds.prefix(12))
  func `random texts in random pieces agree with splitting the whole`(seed: UInt64) async throws {
    var random = TestRandom(seed)
    for _ in 0..<20 {
      let letters = Array("ab\r\n\n")
      let text = (0..<random.below(60)).map { _ in String(letters[random.below(letters.count)]) }.joined()
      var wanted = text.utf8.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
      let last = wanted.removeLast()
      var naive = wanted.map { String(decoding: $0.last == 13 ? $0.dropLast() : $0[...], as: UTF8.self) }
      if !last.isEmpty { naive.append(String(decoding: last, as: UTF8.self)) }
      let got = try await lines(text, chunkSize: 1 + random.below(9))
      #expect(got == naive, "seed \(seed): \(text.debugDescription)")
    }
  }
}
