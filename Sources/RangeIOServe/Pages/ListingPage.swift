#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import HTTPTypes
  internal import RangeIO
  internal import RangeIOHTTPTransport

  /// A directory: a page for people, or JSON for programs that accept it or ask with `?format=json`.
  struct ListingPage {
    private let target: RequestTarget
    private let entries: [ServedItem.Entry]

    init(_ target: RequestTarget, _ entries: [ServedItem.Entry]) {
      self.target = target
      // What is called so at the top cannot be reached.
      self.entries = target.names.isEmpty ? entries.filter { $0.name != Mounts.reserved } : entries
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

    private struct Line: Encodable {
      let name: String
      let type: String
      let size: Int?
      let modified: String?
    }

    private func json() throws -> String {
      let lines = entries.map { entry in
        Line(
          name: entry.name, type: entry.isDirectory ? "directory" : "file", size: entry.size,
          modified: entry.modified.map { HTTPDate(secondsSince1970: $0).text })
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(lines), as: UTF8.self) + "\n"
    }

    private var html: String {
      let title = Self.escaped("/" + target.names.joined(separator: "/"))
      var rows = ""
      if !target.names.isEmpty { rows += "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n" }
      for entry in entries {
        let slash = entry.isDirectory ? "/" : ""
        let link = "./" + RequestTarget.encoded(entry.name) + slash
        let size = entry.size.map { "\($0)" } ?? ""
        let modified = entry.modified.map { HTTPDate(secondsSince1970: $0).text } ?? ""
        rows += "<tr><td><a href=\"\(link)\">\(Self.escaped(entry.name))\(slash)</a></td>"
        rows += "<td class=\"size\">\(size)</td><td>\(modified)</td></tr>\n"
      }
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
        \(rows)</tbody></table></body></html>

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
