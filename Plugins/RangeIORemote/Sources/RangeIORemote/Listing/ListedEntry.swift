internal import RangeIOSupport

/// One name of a listing, and what the server tells of it.
public struct ListedEntry: Hashable, Sendable {
  /// The name's bytes: below the folder that is listed, not encoded. Nearly always UTF-8. The name of a folder ends with `/`.
  /// May be empty: an object whose name is that of the folder itself.
  public let nameBytes: [UInt8]
  /// `true` if names begin with this one. `false` for an object.
  public let isFolder: Bool
  /// The size in bytes; `nil` for a folder, and where the server does not tell it exactly.
  public let byteCount: Int?
  /// The version: a tag without its quotes, or a generation.
  public let version: String?
  /// When it last changed, to the second.
  public let modified: HTTPDate?

  /// The name as text; bytes that are no UTF-8 are shown as U+FFFD.
  public var name: String { String(decoding: nameBytes, as: UTF8.self) }

  /// An entry; see the properties. A negative size counts as none.
  public init(
    nameBytes: [UInt8], isFolder: Bool = false, byteCount: Int? = nil, version: String? = nil,
    modified: HTTPDate? = nil
  ) {
    self.nameBytes = nameBytes
    self.isFolder = isFolder
    self.byteCount = byteCount.flatMap { $0 < 0 ? nil : $0 }
    self.version = version
    self.modified = modified
  }
}

extension ListedEntry {
  /// True for the name of one thing in a directory: it leads to no other directory.
  static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && !bytes.contains { $0 == 0 || $0 == UInt8(ascii: "/") } && bytes != [46] && bytes != [46, 46]
  }

  /// A tag without its quotes.
  public static func tag(_ text: String) -> String {
    text.utf8.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
  }

  /// A date as XML and JSON have it (ISO 8601), or as HTTP has it.
  public static func date(_ text: String) -> HTTPDate? {
    SigningTime(text).map { HTTPDate(secondsSince1970: $0.secondsSince1970) } ?? HTTPDate(text)
  }
}
