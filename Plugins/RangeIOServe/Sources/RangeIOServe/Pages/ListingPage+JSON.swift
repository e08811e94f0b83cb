#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif

  extension ListingPage {
    /// A name; of the type `more`, where the rest of the listing is.
    private struct Line: Encodable {
      var name: String?
      let type: String
      var size: Int?
      /// By ISO 8601, in UTC.
      var modified: String?
      /// Of a name that is no UTF-8, and of the rest.
      var href: String?
    }

    func json() throws -> String {
      var lines = listing.entries.map { entry in
        Line(
          name: entry.name.description, type: entry.isDirectory ? "directory" : "file", size: entry.byteCount,
          modified: entry.modifiedSecondsSince1970.map { ListedText.time(secondsSince1970: $0) },
          href: entry.name.isText ? nil : Self.link(to: entry))
      }
      if let rest { lines.append(Line(type: "more", href: "?\(rest)&format=json")) }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(lines), as: UTF8.self) + "\n"
    }
  }
#endif
