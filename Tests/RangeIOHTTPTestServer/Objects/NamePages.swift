#if HTTP

  /// Names as a store lists them: by prefix and delimiter, in pages, in the order of their bytes.
  public struct NamePages: Sendable {
    /// One line: an object, or what several begin with.
    public struct Line: Sendable {
      /// The whole name.
      public var name: String
      /// Others begin with it.
      public var isFolder: Bool
    }

    private let names: [String]

    /// A store with these names.
    public init(_ names: [String]) {
      self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The lines after `token`, and the token for those after them.
    ///
    /// - Parameters:
    ///   - prefix: what all names begin with.
    ///   - delimiter: names are listed up to the next one; `nil`: whole.
    ///   - token: as it came with the page before.
    ///   - most: the most lines of a page.
    public func page(
      _ prefix: String, delimiter: String?, after token: String?, most: Int
    ) -> (lines: [Line], next: String?) {
      var lines: [Line] = []
      for name in names where name.utf8.starts(with: prefix.utf8) {
        let rest = Array(name.utf8.dropFirst(prefix.utf8.count))
        let mark = delimiter.flatMap { rest.firstIndex(of: Array($0.utf8)[0]) }
        let shown = mark.map { prefix + String(decoding: rest[...$0], as: UTF8.self) } ?? name
        if mark != nil, let last = lines.last, last.isFolder, last.name.utf8.elementsEqual(shown.utf8) { continue }
        lines.append(Line(name: shown, isFolder: mark != nil))
      }
      let start = token.flatMap { Int($0.dropFirst(2)) } ?? 0
      let end = min(start + most, lines.count)
      guard start <= end else { return ([], nil) }
      return (Array(lines[start..<end]), end < lines.count ? "t=\(end)" : nil)
    }
  }
#endif
