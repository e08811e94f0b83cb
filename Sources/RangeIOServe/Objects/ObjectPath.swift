/// The names of a path, byte for byte.
///
/// Swift holds two spellings of a character for equal, such as "é" in one scalar and in two. In a file system and in an
/// object store they are two names.
struct ObjectPath: Hashable, Sendable {
  private let bytes: [UInt8]

  /// - Parameter names: none has a slash.
  init(_ names: [String]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(names.reduce(names.count) { $0 + $1.utf8.count })
    for name in names {
      bytes.append(UInt8(ascii: "/"))
      bytes.append(contentsOf: name.utf8)
    }
    self.bytes = bytes
  }
}
