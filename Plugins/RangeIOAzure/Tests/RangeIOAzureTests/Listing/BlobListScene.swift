#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOAzure

  extension BlobStore {
    /// A page of the container, as the service writes it; of a request without `comp=list`, `nil`.
    func list(_ request: ServerRequest, _ names: NamePages) -> ScriptedAnswer? {
      guard request.parameter("comp") == "list", request.parameter("restype") == "container",
        request.path == "/maps/tiles"
      else { return nil }
      func value(_ name: String) -> String? { request.parameter(name).map { PercentCoding.decoded($0) } }
      let (lines, next) = names.page(
        value("prefix") ?? "", delimiter: value("delimiter"), after: value("marker"),
        most: value("maxresults").flatMap { Int($0) } ?? 5_000)
      let items = lines.map { line in
        let name = Self.element(line.name)
        return line.isFolder
          ? "<BlobPrefix>\(name)</BlobPrefix>"
          : """
          <Blob>\(name)<Properties><Creation-Time>Thu, 01 Jan 2026 00:00:00 GMT</Creation-Time>\
          <Last-Modified>Fri, 02 Jan 2026 03:04:05 GMT</Last-Modified><Etag>0x8D\(line.name.utf8.count)</Etag>\
          <Content-Length>\(line.name.utf8.count)</Content-Length><Content-Type>a/b</Content-Type></Properties><OrMetadata /></Blob>
          """
      }
      return ScriptedAnswer(
        200,
        text: """
          \u{FEFF}<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="tiles">\
          <Prefix>p</Prefix><Blobs>\(items.joined())</Blobs><NextMarker\(next.map { ">\($0)</NextMarker>" } ?? " />")\
          </EnumerationResults>
          """, type: "application/xml")
    }

    /// A name that XML cannot have is encoded.
    private static func element(_ name: String) -> String {
      guard name.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 0xFFFE }) else {
        return "<Name>\(name.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</Name>"
      }
      return "<Name Encoded=\"true\">\(PercentCoding.encoded(name, keeping: nil))</Name>"
    }
  }

  extension StoreScene {
    /// Lists by a source of this scene.
    func listing(
      _ url: String, isRecursive: Bool = false, pageSize: Int? = nil, _ configuration: AzureSource.Configuration? = nil
    ) -> RemoteListing {
      AzureSource.listing(url, isRecursive: isRecursive, pageSize: pageSize, pipeline: []) { address in
        source(address, configuration)
      }
    }

    func expect(
      _ listing: RemoteListing, lists names: [String], at location: SourceLocation = #_sourceLocation
    ) async throws {
      let listed = try await listing.reduce(into: []) { $0.append($1.name) }
      #expect(listed == names, sourceLocation: location)
    }
  }

#endif
