import FormatSupport
import RangeIO
import Testing

@testable import ParquetFormat

struct ParquetTests {
  @Test func `packed numbers are those of the format's example`() throws {
    // 0 to 7 in three bits each (Encodings.md).
    #expect(try RunLengths.decode([3, 0x88, 0xC6, 0xFA], bitWidth: 3, count: 8) == [0, 1, 2, 3, 4, 5, 6, 7])
  }

  @Test func `runs and packed numbers follow each other`() throws {
    let bytes: Bytes = [8, 5, 3, 0x88, 0xC6, 0xFA, 200, 1, 7]
    let numbers: [UInt32] = [5, 5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7]
    #expect(try RunLengths.decode(bytes, bitWidth: 3, count: 14) == numbers)
    // The rest of a group, or of a run, is padding.
    #expect(try RunLengths.decode(bytes, bitWidth: 3, count: 7) == Array(numbers.prefix(7)))
    #expect(try RunLengths.decode([], bitWidth: 3, count: 0) == [])
  }

  @Test func `numbers may have 32 bits, or none`() throws {
    #expect(try RunLengths.decode([4, 0xFF, 0xFF, 0xFF, 0xFF], bitWidth: 32, count: 2) == [.max, .max])
    let packed = Bytes([3] + [UInt8](repeating: 0xFF, count: 32))
    #expect(try RunLengths.decode(packed, bitWidth: 32, count: 8) == [UInt32](repeating: .max, count: 8))
    #expect(try RunLengths.decode([3], bitWidth: 0, count: 5) == [0, 0, 0, 0, 0])
    #expect(try RunLengths.decode([10], bitWidth: 0, count: 5) == [0, 0, 0, 0, 0])
    #expect([0, 1, 2, 3, 4, 255, 256].map(RunLengths.bitWidth) == [0, 1, 2, 2, 3, 8, 9])
  }

  @Test func `runs that are cut off, empty or endless are errors or end`() {
    let hostile: [Bytes] = [
      [], [0], [1], [2], [3, 1], [0x80], Bytes([UInt8](repeating: 0xFF, count: 9) + [1]),
      Bytes([UInt8](repeating: 0xFF, count: 10)),
    ]
    for bytes in hostile {
      #expect(throws: (any Error).self) { try RunLengths.decode(bytes, bitWidth: 9, count: 20) }
    }
    #expect(throws: FormatError.self) { try RunLengths.decode([2, 1], bitWidth: 33, count: 1) }
  }

  @Test func `Snappy copies literals and what came before`() throws {
    // "abc", then six bytes from three back, then one byte repeated.
    let bytes: Bytes = [14, 2 << 2, 0x61, 0x62, 0x63, 2 << 2 | 1, 3, 4 << 2 | 2, 1, 0]
    #expect(try Snappy.decompress(bytes, to: 14).elementsEqual("abcabcabcccccc".utf8))
    #expect(try Snappy.decompress([0], to: 0).isEmpty)
    let long = Bytes([100, 60 << 2, 99] + [UInt8](repeating: 7, count: 100))
    #expect(try Snappy.decompress(long, to: 100) == Bytes([UInt8](repeating: 7, count: 100)))
  }

  @Test func `Snappy data that is cut off or lies is an error`() {
    let bytes: Bytes = [14, 2 << 2, 0x61, 0x62, 0x63, 2 << 2 | 1, 3, 4 << 2 | 2, 1, 0]
    for count in 0..<bytes.count {
      #expect(throws: (any Error).self) { try Snappy.decompress(bytes[0..<count], to: 14) }
    }
    let hostile: [Bytes] = [
      [13], [3, 1, 1], [3, 0, 0x61, 1, 0], [3, 0, 0x61, 2, 2, 0], [2, 2 << 2, 1, 2, 3],
      [5, 63 << 2, 0xFF, 0xFF, 0xFF, 0xFF],
    ]
    for bytes in hostile { #expect(throws: (any Error).self) { try Snappy.decompress(bytes, to: Int(bytes[0])) } }
    #expect(throws: (any Error).self) { try Snappy.decompress(bytes, to: 15) }
  }

  @Test func `Thrift structures are skipped whatever is in them`() throws {
    // A structure with each kind of value in it, all of them unknown to the reader.
    let bytes: Bytes = [
      0x11, 0x12, 0x13, 5, 0x14, 6, 0x15, 7, 0x16, 8, 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 2, 0x61, 0x62, 0x19, 0x23, 1,
      2,
      0x1A, 0x11, 1, 0x1B, 1, 0x13, 1, 2, 0x1C, 0x15, 9, 0, 0x05, 0xC8, 1, 3, 0,
    ]
    var thrift = ThriftReader(Bytes.Cursor(bytes))
    var ids: [Int] = []
    try thrift.structure { thrift, field in
      ids.append(field.id)
      try thrift.skip(field)
    }
    #expect(ids == Array(1...12) + [100])
    #expect(thrift.cursor.remaining == 0)
    for count in 0..<bytes.count {
      var cutOff = ThriftReader(Bytes.Cursor(bytes[0..<count]))
      #expect(throws: (any Error).self) { try cutOff.structure { thrift, field in try thrift.skip(field) } }
    }
  }

  @Test func `Thrift that nests without end is an error`() {
    for byte in [0x1C, 0x19] as [UInt8] {
      var thrift = ThriftReader(Bytes.Cursor(Bytes([UInt8](repeating: byte, count: 100_000))))
      #expect(throws: FormatError.self) { try thrift.structure { thrift, field in try thrift.skip(field) } }
    }
  }
}
