#if Serve
  internal import HTTPTypes

  /// A directory: a page for people, or JSON for programs that accept it or ask with `?format=json`.
  struct ListingPage {
    let target: RequestTarget
    private(set) var listing: ServedItem.Listing
    /// The query with which the rest of a listing is asked for that is cut.
    let rest: String?
    /// Browsers say that they take HTML. Programs that follow each link (fsspec, `wget -r`) get those of the names alone: what
    /// sorts, or leads further up than one folder, they take for names, and walk in a circle.
    private(set) var isForPeople = true

    init(_ target: RequestTarget, _ listing: ServedItem.Listing) {
      self.target = target
      self.listing = listing
      rest = listing.isCut ? listing.entries.last.map { "after=" + $0.name.encoded } : nil
      // What is called so at the top cannot be reached.
      if target.names.isEmpty { self.listing.entries.removeAll { $0.name == Mounts.reserved } }
    }

    /// `true` if a program asks.
    static func isJSON(_ target: RequestTarget, _ head: HTTPRequest) -> Bool {
      let accepts = head.headerFields[.accept] ?? ""
      return target.parameter("format").map { $0 == "json" } ?? accepts.contains("application/json")
    }

    func answer(_ head: HTTPRequest) throws -> Answer {
      var fields: HTTPFields = [.cacheControl: "no-cache", .vary: "Accept"]
      guard !Self.isJSON(target, head) else { return .text(.ok, try json(), type: "application/json", fields) }
      fields[.contentSecurityPolicy] = ListingAssets.policy
      fields[.referrerPolicy] = "same-origin"
      var page = self
      page.isForPeople = head.headerFields[.accept]?.contains("text/html") ?? false
      return .text(.ok, page.html, type: "text/html; charset=utf-8", fields)
    }

    /// Without `./` before it, which some programs keep: an encoded name has no colon, so it is not taken for a scheme.
    static func link(to entry: ServedItem.Entry) -> String {
      entry.name.encoded + (entry.isDirectory ? "/" : "")
    }
  }

  extension HTTPField.Name {
    fileprivate static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  }
#endif
