import FormatSupport
import RangeIO
import Testing

@testable import ZIPFormat

struct ZIPTests {
  /// The end record of an empty archive.
  private static func end(comment: [UInt8] = []) -> Bytes {
    var bytes: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 16)
    bytes += [UInt8(comment.count & 255), UInt8(comment.count >> 8)] + comment
    return Bytes(bytes)
  }

  @Test func `an empty archive has no entries`() async throws {
    let archive = try await ZIPArchive(openReader(MemorySource(bytes: Self.end(comment: Array("hello".utf8)))))
    #expect(archive.entries.isEmpty)
    #expect(archive.comment.elementsEqual("hello".utf8))
    #expect(throws: FormatError.self) { try archive.entry(named: "a") }
  }

  @Test func `the end record is found before the longest comment`() throws {
    let tail = Self.end(comment: [UInt8](repeating: 0x50, count: 65_535))
    let (record, position) = try EndRecord.find(in: tail)
    #expect(position == 0)
    #expect(record.comment.count == 65_535)
    let (_, later) = try EndRecord.find(in: Bytes(concatenating: [Bytes([UInt8](repeating: 0x50, count: 20)), tail]))
    #expect(later == 20)
  }

  @Test func `a signature within the comment is not the end record`() throws {
    let (record, position) = try EndRecord.find(in: Self.end(comment: Array(Self.end()) + [0]))
    #expect(position == 0)
    #expect(record.comment.count == 23)
  }

  @Test func `without an end record it is no archive`() {
    #expect(throws: FormatError.self) { try EndRecord.find(in: Bytes()) }
    #expect(throws: FormatError.self) { try EndRecord.find(in: Bytes([UInt8](repeating: 0, count: 1_000))) }
    #expect(throws: FormatError.self) { try EndRecord.find(in: Bytes(concatenating: [Self.end(), [0]])) }
  }

  @Test func `a directory that claims to be anywhere is an error`() async throws {
    for field in 8..<20 {
      for value in [1, 0x7F, 0xFF] as [UInt8] {
        var bytes = Array(Self.end())
        bytes[field] = value
        if field < 12 { bytes[field ^ 2] = value }
        await #expect(throws: FormatError.self, "\(value) at \(field)") {
          _ = try await ZIPArchive(openReader(MemorySource(bytes: Bytes(bytes))))
        }
      }
    }
  }

  @Test func `names that are not UTF-8 are of code page 437`() {
    #expect(CodePage437.upperHalf.count == 128)
    #expect(CodePage437.decode([0x61, 0x80, 0x84, 0xE1, 0xFF]) == "aÇäß\u{A0}")
  }
}
