#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  extension MiniatureStore {
    /// A page of the bucket, as S3 writes it; of a request without `list-type`, `nil`.
    func list(_ request: ServerRequest, _ names: NamePages) -> ScriptedAnswer? {
      guard request.parameter("list-type") == "2" else { return nil }
      func value(_ name: String) -> String? { request.parameter(name).map { PercentCoding.decoded($0) } }
      let isEncoded = value("encoding-type") == "url"
      let (lines, next) = names.page(
        value("prefix") ?? "", delimiter: value("delimiter"), after: value("continuation-token"),
        most: value("max-keys").flatMap { Int($0) } ?? 1_000)
      func shown(_ name: String) -> String {
        isEncoded
          ? PercentCoding.encoded(name, keeping: UInt8(ascii: "/")).replacing("%20", with: "+")
          : name.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\r", with: "&#13;")
      }
      let objects = lines.filter { !$0.isFolder }.map { line in
        """
        <Contents><Key>\(shown(line.name))</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>\
        <ETag>&quot;e\(line.name.utf8.count)&quot;</ETag><Size>\(line.name.utf8.count)</Size>\
        <StorageClass>STANDARD</StorageClass></Contents>
        """
      }
      let folders = lines.filter(\.isFolder).map {
        "<CommonPrefixes><Prefix>\(shown($0.name))</Prefix></CommonPrefixes>"
      }
      return ScriptedAnswer(
        200,
        text: """
          <?xml version="1.0" encoding="UTF-8"?>
          <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix></Prefix>\
          <KeyCount>\(lines.count)</KeyCount><MaxKeys>1000</MaxKeys>\(isEncoded ? "<EncodingType>url</EncodingType>" : "")\
          <IsTruncated>\(next != nil)</IsTruncated>\(objects.joined())\(folders.joined())\
          \(next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? "")</ListBucketResult>
          """, type: "application/xml")
    }
  }

  extension StoreScene {
    /// Lists by a source of this scene.
    func listing(
      _ url: String, isRecursive: Bool = false, pageSize: Int? = nil, _ configuration: S3Source.Configuration? = nil,
      pipeline: ReadPipeline = []
    ) -> RemoteListing {
      S3Source.listing(url, isRecursive: isRecursive, pageSize: pageSize, pipeline: pipeline) { address in
        source(address, configuration)
      }
    }

    /// All names; folders as they are.
    func names(of listing: RemoteListing) async throws -> [String] {
      try await listing.reduce(into: []) { $0.append($1.name) }
    }

    func expect(
      _ listing: RemoteListing, lists names: [String], at location: SourceLocation = #_sourceLocation
    ) async throws {
      let listed = try await self.names(of: listing)
      #expect(listed == names, sourceLocation: location)
    }
  }

#endif
