internal import RangeIOSupport

extension PreparedRequest {
  /// A shorter word may stand in any text.
  private static let shortestSecret = 7

  /// The beginning of what a server says of this request, for a message: at most 300 bytes. `nil` if any of it repeats a word of
  /// the query or of a field that may be a secret.
  public func quotable(_ text: String?) -> String? {
    guard let text else { return nil }
    let fields = self.fields.all.lazy.filter { !$0.isOpen }
      .flatMap { $0.value.split { $0 == " " || $0 == "," } }
    let items = url.queryItems.lazy.flatMap { item in
      item.value.map { [Substring($0), Substring(PercentCoding.decoded($0))] } ?? []
    }
    let repeats = [AnySequence(fields), AnySequence(items)].joined().contains { word in
      // Without a name, as in Signature=….
      let value = word.firstIndex(of: "=").map { word[word.index(after: $0)...] }
      return [word, value ?? word].contains { $0.utf8.count >= Self.shortestSecret && text.contains($0) }
    }
    // `decoding` repairs what the limit cuts in two.
    return repeats ? nil : String(decoding: text.utf8.prefix(300), as: UTF8.self)
  }
}
