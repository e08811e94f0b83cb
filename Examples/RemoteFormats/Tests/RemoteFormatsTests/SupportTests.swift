import FormatSupport
import RangeIO
import Testing

struct SupportTests {
  @Test func `varints have seven bits a byte, the lowest first`() throws {
    var cursor = Bytes.Cursor([0x00, 0x7F, 0xE5, 0x8E, 0x26])
    #expect(try cursor.varint() == 0)
    #expect(try cursor.varint() == 127)
    #expect(try cursor.varint() == 624_485)
    #expect(cursor.remaining == 0)
  }

  @Test func `the largest varint has 64 bits, and a longer one is an error`() throws {
    let ones = [UInt8](repeating: 0xFF, count: 9)
    var largest = Bytes.Cursor(Bytes(ones + [1]))
    #expect(try largest.varint() == .max)
    for last in [2, 0x81] as [UInt8] {
      var cursor = Bytes.Cursor(Bytes(ones + [last, 0, 0]))
      #expect(throws: FormatError.self) { try cursor.varint() }
    }
    var cutOff = Bytes.Cursor(Bytes(ones))
    #expect(throws: ReadError.self) { try cutOff.varint() }
  }

  @Test func `varints with a sign alternate`() throws {
    var cursor = Bytes.Cursor([0, 1, 2, 3])
    #expect(try (0..<4).map { _ in try cursor.zigZagVarint() } == [0, -1, 1, -2])
    var extremes = Bytes.Cursor(Bytes([UInt8](repeating: 0xFF, count: 9) + [1]))
    #expect(try extremes.zigZagVarint() == .min)
  }

  @Test func `a part lies within its section, or it is an error`() throws {
    #expect(try part("it", offset: 2, count: 3, of: 10..<15) == 12..<15)
    #expect(try part("it", offset: 5, count: 0, of: 10..<15) == 15..<15)
    for (offset, count) in [(2, 4), (6, 0), (-1, 1), (0, -1), (.max, .max), (.max, 1), (1, .max)] as [(Int, Int)] {
      #expect(throws: FormatError.self) { try part("it", offset: offset, count: count, of: 10..<15) }
    }
    #expect(throws: FormatError.self) { try part("it", offset: UInt64.max, count: UInt64.max, of: 0..<Int.max) }
  }

  // `printf a | gzip -n`.
  private static let a: Bytes = [
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0,
  ]

  @Test func `gzip is decompressed, also several one after the other`() throws {
    #expect(try Self.a.inflated(.gzip, limit: 1).elementsEqual("a".utf8))
    let twice = Bytes(concatenating: [Self.a, Self.a])
    #expect(try twice.inflated(.gzip, limit: 2).elementsEqual("aa".utf8))
    #expect(throws: FormatError.tooLarge("more than 1 bytes come out of compressed data")) {
      try twice.inflated(.gzip, limit: 1)
    }
  }

  @Test func `compressed data that is cut off or damaged is an error`() {
    for count in 0..<Self.a.count {
      #expect(throws: FormatError.self) { try Self.a[0..<count].inflated(.gzip, limit: 1) }
    }
    for position in [0, 1, 2, 10, 13, 17] {
      var bytes = Array(Self.a)
      bytes[position] ^= 0xFF
      #expect(throws: FormatError.self) { try Bytes(bytes).inflated(.gzip, limit: 1) }
    }
  }

  @Test func `raw deflate data ends by itself, and nothing may follow`() throws {
    let raw = Self.a[10..<13]
    #expect(try raw.inflated(.none, limit: 1).elementsEqual("a".utf8))
    #expect(throws: FormatError.self) { try Bytes(concatenating: [raw, [0]]).inflated(.none, limit: 1) }
  }

  @Test func `the CRC-32 is that of the standard's example, in pieces too`() {
    let digits = Bytes("123456789".utf8)
    #expect(CRC32(digits).value == 0xCBF4_3926)
    var crc = CRC32()
    for byte in digits { crc.add([byte]) }
    #expect(crc.value == 0xCBF4_3926)
    #expect(CRC32(Bytes()).value == 0)
  }

  @Test func `text from a file does not steer the terminal`() {
    #expect(printable("a\u{1B}[2Jb\u{9B}c\né") == "a\\u{1B}[2Jb\\u{009B}c\\né")
  }
}
