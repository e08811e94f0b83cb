import RangeIOTesting
import Testing

@testable import RangeIO

struct BytesCursorTests {
  private let bytes: Bytes = [1, 0, 2, 0, 0, 0, 0x52, 0x49, 0x4F, 0, 0xFF, 0xFE]
  private var cursor: Bytes.Cursor { Bytes.Cursor(bytes) }

  @Test func `values come one after the other`() throws {
    var cursor = cursor
    #expect(try cursor.integer(UInt16.self, .littleEndian) == 1)
    #expect(try cursor.integer(UInt32.self, .littleEndian) == 2)
    #expect(try cursor.string(endingWith: 0) == "RIO")
    #expect(cursor.position == 10 && cursor.remaining == 2 && cursor.remaining > 0)
    #expect(try cursor.byte() == 0xFF && cursor.byte() == 0xFE)
    #expect(cursor.remaining == 0)
    #expect(throws: ReadError.self) { try cursor.byte() }
    #expect(cursor.position == 12)
  }

  @Test func `arrays and strings have the length that is asked for`() throws {
    var cursor = cursor
    #expect(try cursor.integers(3, of: UInt16.self, .littleEndian) == [1, 2, 0])
    #expect(try cursor.string(3) == "RIO")
    #expect(try cursor.bytes(0) == Bytes() && cursor.bytes(3) == bytes.slice(9..<12))
    #expect(try cursor.integers(0, of: UInt64.self, .bigEndian) == [])
  }

  @Test func `what is cut off throws, says where, and leaves the cursor`() throws {
    var cursor = cursor
    try cursor.skip(10)
    func refuses(_ body: (inout Bytes.Cursor) throws -> Void) {
      let before = cursor.position
      let error = #expect(throws: ReadError.self) { try body(&cursor) }
      #expect(error?.code == .corrupted && error?.message.contains("\(before)") == true)
      #expect(cursor.position == before)
    }
    refuses { _ = try $0.integer(UInt32.self, .littleEndian) }
    try cursor.seek(to: 10)
    #expect(try cursor.integer(Int16.self, .bigEndian) == -2)
    refuses { _ = try $0.byte() }
    try cursor.seek(to: 10)
    refuses { _ = try $0.integers(2, of: UInt16.self, .littleEndian) }
    refuses { _ = try $0.integers(.max, of: UInt64.self, .littleEndian) }
    refuses { _ = try $0.integers(-1, of: UInt64.self, .littleEndian) }
    refuses { _ = try $0.bytes(3) }
    refuses { _ = try $0.bytes(-1) }
    refuses { _ = try $0.string(.max) }
    refuses { _ = try $0.string(endingWith: 0) }
    refuses { try $0.skip(.min) }
  }

  @Test func `one byte is told of as one`() throws {
    var cursor = Bytes.Cursor(bytes.slice(0..<1))
    let number = #expect(throws: ReadError.self) { try cursor.integer(UInt16.self, .littleEndian) }
    #expect(number?.message.contains("where 1 byte is left") == true)
    try cursor.skip(1)
    let one = #expect(throws: ReadError.self) { try cursor.skip(1) }
    #expect(one?.message.contains("1 byte is expected at position 1, where 0 bytes are left") == true)
  }

  @Test func `a cursor goes where it is told, within the bytes`() throws {
    var cursor = cursor
    try cursor.seek(to: 12)
    #expect(cursor.remaining == 0)
    try cursor.seek(to: 6)
    #expect(try cursor.string(3) == "RIO")
    #expect(throws: ReadError.self) { try cursor.seek(to: 13) }
    #expect(throws: ReadError.self) { try cursor.seek(to: -1) }
    #expect(cursor.position == 9)
  }

  @Test func `pieces of memory do not show`() throws {
    var cursor = Bytes.Cursor(Bytes(concatenating: [bytes.slice(0..<3), bytes.slice(3..<7), bytes.slice(7..<12)]))
    #expect(try cursor.integers(3, of: UInt16.self, .littleEndian) == [1, 2, 0])
    #expect(try cursor.string(endingWith: 0) == "RIO")
  }
}
