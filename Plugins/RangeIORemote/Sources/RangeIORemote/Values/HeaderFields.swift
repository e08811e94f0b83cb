/// The fields of a request or an answer, in their order. Names are compared without regard to case.
///
/// Those of an answer are bounded: a server that sends more than 256 fields or 64 KiB of them is refused.
public struct HeaderFields: Hashable, Sendable {
  /// One field.
  public struct Field: Hashable, Sendable {
    /// As it was sent.
    public let name: String
    /// Without spaces at its ends.
    public let value: String
  }

  /// The most fields of an answer.
  static let maxFields = 256
  /// The most bytes of an answer's names and values together.
  static let maxBytes = 65_536

  /// All fields, in their order.
  public private(set) var all: [Field] = []
  private var byteCount = 0

  /// No fields.
  public init() {}

  /// Fields of our own, which are not bounded.
  public init(_ fields: KeyValuePairs<String, String>) {
    for (name, value) in fields { add(name, value) }
  }

  /// No fields, and room for `count`.
  init(reserving count: Int) { all.reserveCapacity(count) }

  private mutating func add(_ name: String, _ value: String) {
    add(Field(name: name, value: HTTPText.trimmed(value)))
  }

  /// Adds a field of our own.
  mutating func add(_ field: Field) {
    byteCount += field.name.utf8.count + field.value.utf8.count
    all.append(field)
  }

  /// Adds a field of an answer.
  ///
  /// - Throws: ``Failure/Reason/giantHeaders`` beyond ``maxFields`` or ``maxBytes``.
  mutating func append(_ name: String, _ value: String) throws(Failure) {
    guard all.count < Self.maxFields,
      byteCount + name.utf8.count + value.utf8.count <= Self.maxBytes
    else {
      throw Failure(
        .giantHeaders, "the server sent more than \(Self.maxFields) header fields or \(Self.maxBytes) bytes of them")
    }
    add(name, value)
  }

  /// Replaces all fields of this name by one, or removes them with `nil`.
  public mutating func set(_ name: String, _ value: String?) {
    if all.contains(where: { HTTPText.areEqual($0.name, name) }) {
      all.removeAll { HTTPText.areEqual($0.name, name) }
      byteCount = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
    if let value { add(name, value) }
  }

  /// The value of the first field of this name.
  public subscript(name: String) -> String? { all.first { HTTPText.areEqual($0.name, name) }?.value }

  /// `true` if the first field of this name has this value, byte by byte, but for spaces at its ends, which are not sent.
  public func has(_ name: String, _ value: String) -> Bool {
    self[name]?.utf8.elementsEqual(HTTPText.trimmed(value).utf8) ?? false
  }

  /// The values of all fields of this name, in their order.
  public func values(of name: String) -> [String] {
    all.compactMap { HTTPText.areEqual($0.name, name) ? $0.value : nil }
  }

  /// True if `text` can stand in a head: no line end and no other control character but the tab (RFC 9110, 5.5).
  static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) } }

  /// Throws if credentials cannot be sent: a token that was read from a file may still have its line end.
  static func check(_ value: String, of field: String) throws(Failure) {
    guard !isValue(value) else { return }
    throw Failure(
      .credentials,
      "what credentials put into the header '\(field)' has a line end or another control character: remove it")
  }

  /// The number of fields.
  var count: Int { all.count }
}
