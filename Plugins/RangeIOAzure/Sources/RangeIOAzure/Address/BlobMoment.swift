#if Azure
  internal import RangeIO
  internal import RangeIORemote

  /// Which state of a blob is meant: the present one, a version, or a snapshot.
  struct BlobMoment: Hashable, Sendable {
    var versionID: String?
    var snapshot: String?

    /// As the end of an address: empty for the present state.
    var suffix: String {
      versionID.map { "?versionid=\($0)" } ?? snapshot.map { "?snapshot=\($0)" } ?? ""
    }

    /// As the query of a request; `nil` for the present state.
    var query: String? {
      versionID.map { "versionid=\(ObjectURL.encodedQuery($0))" }
        ?? snapshot.map { "snapshot=\(ObjectURL.encodedQuery($0))" }
    }

    /// The name without an ending `?versionid=…` or `?snapshot=…`, and what that said.
    static func cut(_ text: Substring) -> (String, BlobMoment) {
      guard let mark = text.utf8.lastIndex(of: UInt8(ascii: "?")) else { return (String(text), BlobMoment()) }
      let query = text[text.utf8.index(after: mark)...]
      let name = query.prefix { $0 != "=" }
      guard name.endIndex < query.endIndex else { return (String(text), BlobMoment()) }
      let value = String(query[query.index(after: name.endIndex)...])
      switch name.lowercased() {
      case "versionid": return (String(text[..<mark]), BlobMoment(versionID: value))
      case "snapshot": return (String(text[..<mark]), BlobMoment(snapshot: value))
      default: return (String(text), BlobMoment())
      }
    }

    func check() throws(ReadError) {
      guard versionID == nil || snapshot == nil else {
        throw AzureAddress.invalid("a blob is read by version or by snapshot: name one of them")
      }
      for text in [versionID, snapshot].compactMap({ $0 }) where text.isEmpty || text.utf8.count > 256 {
        throw AzureAddress.invalid("the version or snapshot is empty or too long")
      }
    }
  }

#endif
