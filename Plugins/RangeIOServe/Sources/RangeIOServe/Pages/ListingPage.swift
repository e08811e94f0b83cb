#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import HTTPTypes
  internal import RangeIO
  internal import RangeIORemote

  /// A directory: a page for people, or JSON for programs that accept it or ask with `?format=json`.
  struct ListingPage {
    private let target: RequestTarget
    private var listing: ServedItem.Listing
    /// Where the rest of a listing is that is cut.
    private let rest: String?

    init(_ target: RequestTarget, _ listing: ServedItem.Listing) {
      self.target = target
      self.listing = listing
      rest = listing.isCut ? listing.entries.last.map { "?after=" + $0.name.encoded } : nil
      // What is called so at the top cannot be reached.
      if target.names.isEmpty { self.listing.entries.removeAll { $0.name == Mounts.reserved } }
    }

    func answer(_ head: HTTPRequest) throws -> Answer {
      let accepts = head.headerFields[.accept] ?? ""
      let isJSON = target.parameter("format").map { $0 == "json" } ?? accepts.contains("application/json")
      let fields: HTTPFields = [.cacheControl: "no-cache", .vary: "Accept"]
      guard !isJSON else {
        return .text(.ok, try json(), type: "application/json", fields)
      }
      // Nothing of a page that others wrote may run, if a name should get past the escaping after all.
      var pageFields = fields
      pageFields[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
      return .text(.ok, html, type: "text/html; charset=utf-8", pageFields)
    }

    /// A name; of the type `more`, where the rest of the listing is.
    private struct Line: Encodable {
      var name: String?
      let type: String
      var size: Int?
      var modified: String?
      /// Of a name that is no UTF-8, and of the rest.
      var href: String?
    }

    private func json() throws -> String {
      var lines = listing.entries.map { entry in
        Line(
          name: entry.name.description, type: entry.isDirectory ? "directory" : "file", size: entry.byteCount,
          modified: entry.modifiedSecondsSince1970.map { HTTPDate(secondsSince1970: $0).text },
          href: entry.name.isText ? nil : Self.link(to: entry))
      }
      if let rest { lines.append(Line(type: "more", href: rest + "&format=json")) }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(lines), as: UTF8.self) + "\n"
    }

    private static func link(to entry: ServedItem.Entry) -> String {
      "./" + entry.name.encoded + (entry.isDirectory ? "/" : "")
    }

    private var html: String {
      let title = Self.escaped("/" + target.names.map(\.description).joined(separator: "/"))
      var rows = ""
      if !target.names.isEmpty { rows += "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n" }
      for entry in listing.entries {
        let slash = entry.isDirectory ? "/" : ""
        let size = entry.byteCount.map { "\($0)" } ?? ""
        let modified = entry.modifiedSecondsSince1970.map { HTTPDate(secondsSince1970: $0).text } ?? ""
        rows += "<tr><td><a href=\"\(Self.link(to: entry))\">\(Self.escaped(entry.name.description))\(slash)</a></td>"
        rows += "<td class=\"size\">\(size)</td><td>\(modified)</td></tr>\n"
      }
      let more = rest.map { "<p>Not all names are shown here. <a href=\"\($0)\">Those after them</a></p>" }
      return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(title)</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color-scheme: light dark }
        table { border-collapse: collapse; width: 100% }
        td, th { padding: .2rem .8rem .2rem 0; text-align: left }
        .size { text-align: right; font-variant-numeric: tabular-nums }
        </style></head>
        <body><h1>\(title)</h1>
        <table><thead><tr><th>Name</th><th class="size">Bytes</th><th>Changed</th></tr></thead><tbody>
        \(rows)</tbody></table>\(more ?? "")</body></html>

        """
    }

    static func escaped(_ text: String) -> String {
      var escaped = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\"": escaped += "&quot;"
        case "'": escaped += "&#39;"
        default: escaped.unicodeScalars.append(scalar)
        }
      }
      return escaped
    }
  }

  extension HTTPField.Name {
    fileprivate static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
  }
#endif
