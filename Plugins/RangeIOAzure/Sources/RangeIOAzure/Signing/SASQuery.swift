#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// A shared access signature: the part of a URL's query that lets its holder read until it ends. Passed on byte by byte.
  struct SASQuery: Hashable, Sendable {
    /// Without a question mark. A secret.
    let text: String
    /// When it ends, in seconds since 1970; `nil` if a stored access policy says so.
    let expiry: Int?

    /// Parses `sv=…&…&sig=…`, also with a question mark before it, as the portal gives it.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`, which shows nothing of it.
    init(_ text: String) throws(ReadError) {
      var text = text.filter { !$0.isNewline }
      if text.hasPrefix("?") { text.removeFirst() }
      let url: ObjectURL
      do throws(ReadError) {
        url = try ObjectURL(scheme: .https, host: "sas.invalid", path: "/", query: text)
      } catch { throw Self.invalid("cannot be used") }
      let names = url.queryItems.map { $0.name.lowercased() }
      guard names.contains("sig"), names.contains("sv") else { throw Self.invalid("has no 'sv' or no 'sig'") }
      guard url.query == text else { throw Self.invalid("has characters that no URL can have") }
      self.text = text
      expiry = url.expiry
    }

    private static func invalid(_ how: String) -> ReadError {
      ReadError(
        .invalidConfiguration, "the shared access signature \(how): copy all of it, from 'sv=' to the end of 'sig=…'")
    }
  }

  extension SASQuery: CustomStringConvertible, CustomReflectable {
    /// Nothing of it.
    var description: String { "shared access signature" }

    /// Shows no more than ``description``.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
