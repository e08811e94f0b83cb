#if Serve
  internal import RangeIO

  extension ListingPage {
    /// All links lead below or above the page, so that a proxy may show it in another place.
    var html: String {
      let order = ListingOrder(target)
      let title = ListedText.escaped("/" + target.names.map { $0.description + "/" }.joined())
      var rows = target.names.isEmpty ? "" : "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n"
      for entry in order.sorted(listing.entries) { rows += Self.row(entry) }
      return """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <style>\(ListingAssets.style)</style></head>
        <body><header><h1>\(path)</h1>
        <input type="search" placeholder="Filter" aria-label="Filter names" autocomplete="off" hidden></header>
        <main><table><thead><tr>\(head("Name", .name, order))\(head("Size", .size, order))\
        \(head("Changed<span> (UTC)</span>", .changed, order))</tr></thead>
        <tbody>
        \(rows)</tbody></table></main>
        <footer><span>\(total)</span>\(more(order))</footer>
        <script>\(ListingAssets.script)</script></body></html>

        """
    }

    private static func row(_ entry: ServedItem.Entry) -> String {
      let name = ListedText.escaped(entry.name.description) + (entry.isDirectory ? "/" : "")
      let size = entry.byteCount.map { " title=\"\($0) bytes\">" + ListedText.size($0) } ?? ">"
      let time = entry.modifiedSecondsSince1970.map { seconds in
        let text = ListedText.time(secondsSince1970: seconds)
        return "<time datetime=\"\(text)\">\(text.prefix(10))<span> \(text.dropFirst(11).prefix(5))</span></time>"
      }
      return """
        <tr class="\(entry.isDirectory ? "folder" : "file")"><td title="\(name)"><a href="\(link(to: entry))"><bdi>\(name)</bdi></a></td>\
        <td\(size)</td><td>\(time ?? "")</td></tr>

        """
    }

    /// The folders on the way here, each with a link.
    private var path: String {
      let count = target.names.count
      guard isForPeople else { return ListedText.escaped("/" + target.names.map { $0.description + "/" }.joined()) }
      let parts = target.names.enumerated().map { index, name in
        let text = "<bdi>\(ListedText.escaped(name.description))</bdi>"
        guard index < count - 1 else { return text }
        return "<a href=\"\(String(repeating: "../", count: count - 1 - index))\">\(text)</a>"
      }
      let top = count == 0 ? "/" : "<a href=\"\(String(repeating: "../", count: count))\">/</a>"
      return ([top] + parts).joined(separator: "<i>›</i>")
    }

    private func head(_ title: String, _ column: ListingOrder.Column, _ order: ListingOrder) -> String {
      let isOurs = order.column == column
      let sorted = isOurs ? " aria-sort=\"\(order.isDescending ? "descending" : "ascending")\"" : ""
      guard isForPeople else { return "<th scope=\"col\"\(sorted)>\(title)</th>" }
      let after = target.bytes(of: "after").map { "after=" + ServedName(bytes: $0).encoded }
      return "<th scope=\"col\"\(sorted)><a href=\"\(Self.query(after, order.query(of: column)))\">\(title)</a></th>"
    }

    /// Fields of a query as a link; the page itself without any.
    private static func query(_ fields: String?...) -> String {
      let fields = fields.compactMap(\.self).filter { !$0.isEmpty }
      return fields.isEmpty ? "./" : "?" + fields.joined(separator: "&").replacing("&", with: "&amp;")
    }

    private var total: String {
      let files = listing.entries.filter { !$0.isDirectory }
      let folderCount = listing.entries.count - files.count
      func text(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
      guard !listing.entries.isEmpty else { return "This folder is empty" }
      let bytes = files.reduce(0) { ByteRanges.sum($0, $1.byteCount ?? 0) }
      var parts = folderCount > 0 ? [text(folderCount, "folder")] : []
      if !files.isEmpty { parts += [text(files.count, "file"), ListedText.size(max(0, bytes))] }
      return parts.joined(separator: ", ")
    }

    private func more(_ order: ListingOrder) -> String {
      guard let rest else { return "" }
      return ". Not all names are shown here. <a href=\"\(Self.query(rest, order.query))\">Those after them</a>"
    }
  }
#endif
