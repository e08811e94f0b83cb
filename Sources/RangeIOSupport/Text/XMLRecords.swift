public import RangeIO

/// The records in an XML document, such as the names in a listing: of each its fields, and the fields beside them.
public struct XMLRecords {
  /// One record.
  public struct Record {
    /// The name of its element.
    public let name: String
    /// The texts of the elements within it, at any depth, by their names; of several alike the first.
    public fileprivate(set) var fields: [String: [UInt8]] = [:]
    /// The names of those fields that have the attribute `Encoded="true"`.
    public fileprivate(set) var encoded: Set<String> = []

    /// A field as text.
    public func text(_ field: String) -> String? { fields[field].map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The records, in order.
  public private(set) var all: [Record] = []
  /// The fields outside of records.
  public private(set) var outside: Record

  /// Reads all of `body`.
  ///
  /// - Parameters:
  ///   - root: the name of its outermost element.
  ///   - names: those of records.
  /// - Throws: `ReadError` with `invalidResponse`: transient, if the end is missing.
  public init(_ body: [UInt8], root: String, of names: Set<String>) throws(ReadError) {
    outside = Record(name: root)
    do throws(XMLElements.Fault) {
      var elements = XMLElements(body)
      var current: Record?
      while let element = try elements.next() {
        guard element.enclosing.first ?? element.name == root else { throw .malformed }
        if names.contains(element.name) {
          all.append(current ?? Record(name: element.name))
          current = nil
        } else if let record = element.enclosing.first(where: { names.contains($0) }) {
          Self.take(element, into: &current, named: record)
        } else {
          var rest: Record? = outside
          Self.take(element, into: &rest, named: root)
          if let rest { outside = rest }
        }
      }
    } catch {
      throw error.readError(root: root)
    }
  }

  private static func take(_ element: XMLElements.Element, into record: inout Record?, named name: String) {
    var taken = record ?? Record(name: name)
    if taken.fields[element.name] == nil { taken.fields[element.name] = element.text }
    if element.has("Encoded", "true") { taken.encoded.insert(element.name) }
    record = taken
  }
}

extension XMLElements.Fault {
  /// The error of a list of names: `invalidResponse`, transient if the end is missing.
  ///
  /// - Parameter root: the name of the outermost element that was expected.
  public func readError(root: String) -> ReadError {
    switch self {
    case .cut:
      ReadError(
        .invalidResponse, "the server's list of names breaks off before its end: try again", isTransient: true)
    case .malformed:
      ReadError(
        .invalidResponse, "the server answered with something else than a list of names (\(root)): check the URL")
    }
  }
}
