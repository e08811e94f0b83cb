#if GCS
  import Foundation
  import RangeIOHTTPTestServer
  import RangeIOSupport

  extension MiniatureGCS {
    /// A page of the bucket, by either API; `nil` for a request that asks for no list.
    func list(_ request: ServerRequest, _ names: NamePages) -> ScriptedAnswer? {
      func value(_ name: String) -> String? { request.parameter(name).map { PercentCoding.decoded($0) } }
      let isJSON = request.path == "/storage/v1/b/bucket/o"
      guard isJSON || request.path == "/bucket" && value("list-type") == "2",
        // An answer that is compressed would not be understood.
        request["Accept-Encoding"] == "identity"
      else { return nil }
      let (lines, next) = names.page(
        value("prefix") ?? "", delimiter: value("delimiter"), after: value(isJSON ? "pageToken" : "continuation-token"),
        most: value(isJSON ? "maxResults" : "max-keys").flatMap { Int($0) } ?? 1_000)
      let (objects, folders) = (lines.filter { !$0.isFolder }.map(\.name), lines.filter(\.isFolder).map(\.name))
      return isJSON ? json(objects, folders, next) : xml(objects, folders, next)
    }

    private func json(_ objects: [String], _ folders: [String], _ next: String?) -> ScriptedAnswer {
      struct Item: Encodable {
        var kind = "storage#object"
        var name: String
        var size: String
        var generation = "100"
        var updated = "2026-01-02T03:04:05.678Z"
      }
      struct List: Encodable {
        var kind = "storage#objects"
        var nextPageToken: String?
        var prefixes: [String]?
        var items: [Item]?
      }
      let items = objects.map { Item(name: $0, size: "\($0.utf8.count)") }
      let list = List(
        nextPageToken: next, prefixes: folders.isEmpty ? nil : folders, items: items.isEmpty ? nil : items)
      // `try?`: texts can always be encoded.
      return Self.json(String(decoding: (try? JSONEncoder().encode(list)) ?? Data(), as: UTF8.self))
    }

    private func xml(_ objects: [String], _ folders: [String], _ next: String?) -> ScriptedAnswer {
      func shown(_ name: String) -> String { PercentCoding.encoded(name, keeping: nil) }
      let items = objects.map { name in
        """
        <Contents><Key>\(shown(name))</Key><Generation>100</Generation><MetaGeneration>1</MetaGeneration>\
        <LastModified>2026-01-02T03:04:05.678Z</LastModified><ETag>"e"</ETag><Size>\(name.utf8.count)</Size></Contents>
        """
      }
      let prefixes = folders.map { "<CommonPrefixes><Prefix>\(shown($0))</Prefix></CommonPrefixes>" }
      return ScriptedAnswer(
        200,
        text: """
          <?xml version='1.0' encoding='UTF-8'?><ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'>\
          <Name>bucket</Name><EncodingType>url</EncodingType><IsTruncated>\(next != nil)</IsTruncated>\
          \(next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? "")\(items.joined())\(prefixes.joined())\
          </ListBucketResult>
          """, type: "application/xml; charset=UTF-8")
    }
  }

#endif
