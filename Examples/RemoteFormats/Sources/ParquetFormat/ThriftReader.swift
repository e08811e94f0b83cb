import FormatSupport
import RangeIO

/// Parses Thrift's compact protocol, in which Parquet's metadata is written (thrift-compact-protocol.md of Apache Thrift).
///
/// Every count is checked against the bytes that are left, and structures nest no deeper than `deepest`: bad data costs no
/// more time and memory than its own size.
struct ThriftReader {
  enum Kind: UInt8 {
    case isTrue = 1
    case isFalse, byte, int16, int32, int64, double, binary, list, set, map, structure
  }

  /// What stands before each value of a structure.
  struct Field {
    let id: Int
    let kind: Kind
  }

  private(set) var cursor: Bytes.Cursor
  private var depth = 0
  private static let deepest = 32

  init(_ cursor: Bytes.Cursor) { self.cursor = cursor }

  /// Parses a structure.
  ///
  /// - Parameter read: called for each field; it must parse the value, or skip it.
  mutating func structure(_ read: (inout ThriftReader, Field) throws -> Void) throws {
    try nested { reader in
      var id = 0
      while true {
        let byte = try reader.byte()
        guard byte != 0 else { return }
        // The id follows by itself if it is not a little more than the last one.
        let step = Int(byte >> 4)
        id = step > 0 ? id + step : Int(try reader.cursor.zigZagVarint())
        guard (1...Int(Int16.max)).contains(id) else { throw Self.damaged }
        try read(&reader, Field(id: id, kind: try Self.kind(byte & 15)))
      }
    }
  }

  /// Parses a list.
  ///
  /// - Parameter read: parses one element.
  mutating func list<Element>(
    _ field: Field, of kind: Kind, _ read: (inout ThriftReader, Field) throws -> Element
  ) throws -> [Element] {
    guard field.kind == .list else { throw Self.damaged }
    let (count, found) = try listHeader()
    guard found == kind || count == 0 else { throw Self.damaged }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try read(&self, Field(id: 0, kind: kind))) }
    return elements
  }

  mutating func integer(_ field: Field) throws -> Int {
    switch field.kind {
    case .byte: return Int(Int8(bitPattern: try byte()))
    case .int16, .int32, .int64: return Int(try cursor.zigZagVarint())
    default: throw Self.damaged
    }
  }

  mutating func boolean(_ field: Field) throws -> Bool {
    guard field.kind == .isTrue || field.kind == .isFalse else { throw Self.damaged }
    return field.kind == .isTrue
  }

  mutating func string(_ field: Field) throws -> String {
    guard field.kind == .binary else { throw Self.damaged }
    return try cursor.string(try cursor.varintCount("bytes of a string", upTo: cursor.remaining))
  }

  mutating func skip(_ field: Field) throws {
    switch field.kind {
    case .isTrue, .isFalse: break
    case .byte: try cursor.skip(1)
    case .int16, .int32, .int64: _ = try cursor.varint()
    case .double: try cursor.skip(8)
    case .binary: try cursor.skip(try cursor.varintCount("bytes", upTo: cursor.remaining))
    case .structure: try structure { reader, field in try reader.skip(field) }
    case .list, .set:
      try nested { reader in
        let (count, kind) = try reader.listHeader()
        for _ in 0..<count { try reader.skipElement(kind) }
      }
    case .map:
      try nested { reader in
        let count = try reader.cursor.varintCount("elements of a map", upTo: reader.cursor.remaining)
        guard count > 0 else { return }
        let kinds = try reader.byte()
        for _ in 0..<count {
          try reader.skipElement(try Self.kind(kinds >> 4))
          try reader.skipElement(try Self.kind(kinds & 15))
        }
      }
    }
  }

  /// In a list or a map, a truth value is a byte of its own.
  private mutating func skipElement(_ kind: Kind) throws {
    let isTruth = kind == .isTrue || kind == .isFalse
    try skip(Field(id: 0, kind: isTruth ? .byte : kind))
  }

  private mutating func listHeader() throws -> (count: Int, kind: Kind) {
    let byte = try byte()
    let short = Int(byte >> 4)
    // Each element takes a byte at least.
    let count = short < 15 ? short : try cursor.varintCount("elements of a list", upTo: cursor.remaining)
    guard count > 0 else { return (0, .byte) }
    return (count, try Self.kind(byte & 15))
  }

  private mutating func nested(_ read: (inout ThriftReader) throws -> Void) throws {
    guard depth < Self.deepest else {
      throw FormatError.damaged("the metadata nests deeper than \(Self.deepest) levels")
    }
    depth += 1
    try read(&self)
    depth -= 1
  }

  private mutating func byte() throws -> UInt8 { try cursor.byte() }

  private static func kind(_ number: UInt8) throws -> Kind {
    guard let kind = Kind(rawValue: number) else { throw damaged }
    return kind
  }

  private static var damaged: FormatError { .damaged("the metadata is damaged: it is no Thrift of the expected form") }
}
