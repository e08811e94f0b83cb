import FormatSupport

/// A node of the schema, as the footer lists them: each group before its members.
package struct SchemaElement: Sendable {
  package private(set) var name = ""
  /// `nil` for a group.
  package private(set) var type: PhysicalType?
  package private(set) var repetition = Repetition.required
  package private(set) var childCount = 0

  package enum Repetition: Int, Sendable {
    case required, optional, repeated
  }

  init(_ thrift: inout ThriftReader) throws {
    try thrift.structure { thrift, field in
      switch field.id {
      case 1: type = PhysicalType(number: try thrift.integer(field))
      case 3:
        let number = try thrift.integer(field)
        guard let known = Repetition(rawValue: number) else {
          throw FormatError.damaged("the schema knows a repetition \(number), which does not exist")
        }
        repetition = known
      case 4: name = try thrift.string(field)
      case 5: childCount = try thrift.integer(field)
      default: try thrift.skip(field)
      }
    }
  }
}

/// How a single value is stored (`Type`).
package struct PhysicalType: Equatable, Sendable, CustomStringConvertible {
  package let number: Int
  package static let int32 = PhysicalType(number: 1)
  package static let int64 = PhysicalType(number: 2)
  package static let double = PhysicalType(number: 5)
  package static let byteArray = PhysicalType(number: 6)

  package var description: String {
    let names = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]
    return names.indices.contains(number) ? names[number] : "type \(number)"
  }
}

/// A column: a leaf of the schema.
package struct Column: Sendable {
  /// From the outermost group to the leaf.
  package let path: [String]
  package let type: PhysicalType
  /// How many of the nodes on the path may be missing. A value that is there has all of them.
  package let maxDefinitionLevel: Int
  /// How many of the nodes on the path may be repeated.
  package let maxRepetitionLevel: Int

  package var name: String { path.joined(separator: ".") }

  /// The leaves of a schema.
  static func leaves(of schema: [SchemaElement]) throws -> [Column] {
    var columns: [Column] = []
    var index = 0
    guard let root = schema.first else { throw FormatError.damaged("the file has no schema") }
    index = 1
    for _ in 0..<(try count(of: root, schema, index)) { try walk(schema, &index, Place(), &columns) }
    guard index == schema.count else { throw FormatError.damaged("the schema has nodes that belong to no group") }
    return columns
  }

  /// Where the walk through the schema is.
  private struct Place {
    var path: [String] = []
    var definition = 0
    var repetition = 0

    func inside(_ element: SchemaElement) -> Place {
      Place(
        path: path + [element.name], definition: definition + (element.repetition == .required ? 0 : 1),
        repetition: repetition + (element.repetition == .repeated ? 1 : 0))
    }
  }

  private static let deepest = 32

  private static func walk(
    _ schema: [SchemaElement], _ index: inout Int, _ place: Place, _ columns: inout [Column]
  ) throws {
    guard index < schema.count, place.path.count < deepest else {
      throw FormatError.damaged("the schema has too few nodes, or is deeper than \(deepest)")
    }
    let element = schema[index]
    index += 1
    let inside = place.inside(element)
    if let type = element.type {
      columns.append(
        Column(
          path: inside.path, type: type, maxDefinitionLevel: inside.definition, maxRepetitionLevel: inside.repetition))
    } else {
      for _ in 0..<(try count(of: element, schema, index)) { try walk(schema, &index, inside, &columns) }
    }
  }

  private static func count(of element: SchemaElement, _ schema: [SchemaElement], _ index: Int) throws -> Int {
    guard (0...schema.count - index).contains(element.childCount) else {
      throw FormatError.damaged("a group of the schema has \(element.childCount) members")
    }
    return element.childCount
  }
}
