#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote

  /// Lists the objects of a bucket, by the API that its URL is of.
  ///
  /// - Source: https://cloud.google.com/storage/docs/json_api/v1/objects/list,
  ///   https://cloud.google.com/storage/docs/xml-api/get-bucket-list
  struct GCSListForm: ListingForm {
    let place: ListedPrefix
    /// The most entries of a page; `nil`: the server's, which is 1,000.
    var pageSize: Int?

    func url(after token: String?, of base: ObjectURL) throws(ReadError) -> ObjectURL {
      guard base.path.hasSuffix("/o"), base.path.contains("/storage/v1/b/") else {
        return try ObjectListForm(place, pageSize: pageSize).url(after: token, of: base)
      }
      var items = [
        ("prefix", place.prefix), ("fields", "kind,nextPageToken,prefixes,items(name,size,updated,generation)"),
      ]
      if !place.isRecursive { items.append(("delimiter", "/")) }
      if let pageSize { items.append(("maxResults", "\(pageSize)")) }
      if let token { items.append(("pageToken", token)) }
      return try base.asking(items)
    }

    func page(in body: [UInt8], from url: ObjectURL) throws(ReadError) -> ListingPage {
      guard body.first(where: { $0 > 32 }) == UInt8(ascii: "{") else {
        return try ObjectListForm(place).page(in: body, from: url)
      }
      let list: ObjectList
      do { list = try JSONDecoder().decode(ObjectList.self, from: Data(body)) } catch {
        throw ReadError(
          .invalidResponse, "the server answered with something else than a list of objects: check the endpoint")
      }
      // Some emulators leave the kind out.
      guard list.kind ?? "storage#objects" == "storage#objects" else {
        throw ReadError(
          .invalidResponse, "the server answered with something else than a list of objects: check the endpoint")
      }
      var page = ListingPage()
      for item in list.items ?? [] {
        page.entries.append(
          ListedEntry(
            nameBytes: try place.below(Array(item.name.utf8)), byteCount: item.size.flatMap { Int($0) },
            version: item.generation, modified: item.updated.flatMap { ListedEntry.date($0) }))
      }
      for prefix in list.prefixes ?? [] {
        page.entries.append(ListedEntry(nameBytes: try place.below(Array(prefix.utf8)), isFolder: true))
      }
      page.next = list.nextPageToken.flatMap { $0.isEmpty ? nil : $0 }
      return page
    }

    private struct ObjectList: Decodable {
      struct Item: Decodable {
        var name: String
        var size: String?
        var updated: String?
        var generation: String?
      }
      var kind: String?
      var items: [Item]?
      var prefixes: [String]?
      var nextPageToken: String?
    }
  }

#endif
