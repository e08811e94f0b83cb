public import RangeIO

/// How one kind of server lists names: the URL of a page, and what its answer means. Pure: ``RemoteListing`` sends.
///
/// ``ObjectListForm`` is that of S3, and has what a form of your own needs to know.
public protocol ListingForm: Sendable {
  /// The URL of a page.
  ///
  /// - Parameters:
  ///   - token: what the page before named as the next one; `nil`: the first page.
  ///   - base: the URL of the object that the listing reads from: a bucket, a container, a directory.
  func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL

  /// What is asked for by PROPFIND. By default `nil`: a page is what GET brings.
  var properties: PropertyRequest? { get }

  /// The page in the body of an answer with status 200; of one with 207, if there are ``properties``.
  ///
  /// - Parameters:
  ///   - body: the body of the answer.
  ///   - url: where it came from in the end.
  /// - Throws: `ReadError` with `invalidResponse` for what is no list of names; transient, if its end is missing.
  func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage

  /// The form that the server may know in place of this one, after `error` in place of the first page; by default `nil`:
  /// none. It is tried once. If the server does not know it either, `error` is thrown.
  func other(after error: ReadError) -> (any ListingForm)?
}

extension ListingForm {
  /// `nil`.
  public var properties: PropertyRequest? { nil }

  /// `nil`.
  public func other(after error: ReadError) -> (any ListingForm)? { nil }
}

/// A page of a listing.
public struct ListingPage: Hashable, Sendable {
  /// In the order of the server; there may be none even if another page follows.
  public var entries: [ListedEntry]
  /// Names the next page; `nil`: this is the last one.
  public var next: String?

  /// A page.
  public init(_ entries: [ListedEntry] = [], next: String? = nil) {
    self.entries = entries
    self.next = next
  }
}

/// Part of a store that is listed: the names that begin alike.
public struct ListedPrefix: Hashable, Sendable {
  /// What the names of objects begin with.
  public let prefix: String
  /// `true` lists all names that begin so; `false` lists those up to the next `/`, and folders.
  public let isRecursive: Bool

  /// A part of a store.
  public init(_ prefix: String, isRecursive: Bool) {
    self.prefix = prefix
    self.isRecursive = isRecursive
  }

  /// The folder that names are told below: the prefix up to its last `/`.
  private var folder: Substring.UTF8View {
    let bytes = prefix[...].utf8
    return bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex)]
  }

  /// `name` below the folder.
  ///
  /// - Throws: `ReadError` with `invalidResponse` if it does not begin as it must.
  public func below(_ name: [UInt8]) throws(ReadError) -> [UInt8] {
    guard name.starts(with: prefix.utf8) else {
      throw ReadError(
        .invalidResponse, "the server lists names that do not begin with what was asked for: check the endpoint")
    }
    return Array(name.dropFirst(folder.count))
  }
}

extension ObjectURL {
  /// This URL with a query of these names and values, which are encoded.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration`.
  public func asking(_ items: [(String, String)]) throws(ReadError) -> ObjectURL {
    let pairs = items.map { "\(ObjectURL.encodedQuery($0))=\(ObjectURL.encodedQuery($1))" }
    return try with(path: path, query: pairs.joined(separator: "&"))
  }
}
