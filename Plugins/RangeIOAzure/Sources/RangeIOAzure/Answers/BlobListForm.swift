#if Azure
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Lists the blobs of a container.
  ///
  /// - Source: https://learn.microsoft.com/rest/api/storageservices/list-blobs
  struct BlobListForm: ListingForm {
    let place: ListedPrefix
    /// The most entries of a page; `nil`: the service's, which is 5,000.
    var pageSize: Int?

    func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL {
      var items = [("restype", "container"), ("comp", "list")]
      if !place.prefix.isEmpty { items.append(("prefix", place.prefix)) }
      if !place.isRecursive { items.append(("delimiter", "/")) }
      if let pageSize { items.append(("maxresults", "\(pageSize)")) }
      if let token { items.append(("marker", token)) }
      return try base.asking(items)
    }

    func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
      // A mark of the order of bytes may stand before the document.
      let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
      let records = try XMLRecords(text, root: "EnumerationResults", of: ["Blob", "BlobPrefix"])
      var page = ListingPage()
      for record in records.all {
        guard var name = record.fields["Name"] else {
          throw ReadError(.invalidResponse, "the service lists something without a name: check the endpoint")
        }
        // A name with a character that XML cannot have.
        if record.encoded.contains("Name") { name = PercentCoding.decoded(bytes: name) }
        let isDirectory = record.text("ResourceType") == "directory"
        let isFolder = record.name == "BlobPrefix" || isDirectory
        if isDirectory, name.last != UInt8(ascii: "/") { name.append(UInt8(ascii: "/")) }
        page.entries.append(
          ListedEntry(
            nameBytes: try place.below(name), isFolder: isFolder,
            byteCount: isFolder ? nil : record.text("Content-Length").flatMap { Int($0) },
            version: isFolder ? nil : record.text("Etag").map { ListedEntry.tag($0) },
            modified: record.text("Last-Modified").flatMap { ListedEntry.date($0) }))
      }
      let next = records.outside.text("NextMarker") ?? ""
      page.next = next.isEmpty ? nil : next
      return page
    }
  }

#endif
