#if GCS
  internal import RangeIO
  internal import RangeIORemote

  /// The server of a store: Google's, or one with a URL, such as an emulator.
  struct GCSEndpoint: Hashable, Sendable {
    /// `nil`: Google's.
    private let server: ObjectURL?

    static let google = GCSEndpoint(server: nil)

    private init(server: ObjectURL?) { self.server = server }

    /// Parses `https://storage.example`, also with a path before the bucket.
    init(_ text: String) throws(ReadError) {
      func invalid(_ text: String) -> ReadError {
        // Not the URL itself, which may contain a password.
        ReadError(.invalidConfiguration, "the endpoint \(text): write https://host or https://host:port")
      }
      let url: ObjectURL
      do { url = try ObjectURL(text) } catch { throw invalid("is no URL of http or https") }
      guard url.user == nil else { throw invalid("has a user name; pass credentials in the configuration") }
      guard url.query == nil, !text.contains("#") else { throw invalid("has a query") }
      server = url
    }

    /// Parses the value of `STORAGE_EMULATOR_HOST`, which may lack `http://`.
    static func emulator(_ text: String) throws(ReadError) -> GCSEndpoint {
      try GCSEndpoint(text.contains("://") ? text : "http://" + text)
    }

    /// `true` for Google's servers, also private and regional ones, which are named as endpoints.
    var isGoogle: Bool { server.map { $0.host.hasSuffix(".googleapis.com") } ?? true }

    /// `true` if what is sent there can be read on the way.
    var isOpenToOthers: Bool {
      server.map { $0.scheme == .http && !$0.isLoopback } ?? false
    }

    /// The path before the bucket: empty, or without an ending `/`.
    private var prefix: String {
      var path = (server?.path ?? "")[...]
      while path.last == "/" { path = path.dropLast() }
      return String(path)
    }

    /// Where the object, or the bucket, of `address` is. The generation is not part of it.
    func url(of address: GCSAddress, _ api: GCSSource.API) throws(ReadError) -> ObjectURL {
      let bucket = ObjectURL.encodedQuery(address.bucket)
      let (path, query): (String, String?) =
        switch api {
        case .xml where address.isBucket: ("\(prefix)/\(bucket)", nil)
        case .json where address.isBucket: ("\(prefix)/storage/v1/b/\(bucket)/o", nil)
        case .xml: ("\(prefix)/\(bucket)/\(ObjectURL.encodedPath(address.object))", nil)
        case .json: ("\(prefix)/storage/v1/b/\(bucket)/o/\(ObjectURL.encodedQuery(address.object))", "alt=media")
        }
      guard let server else {
        return try ObjectURL(scheme: .https, host: "storage.googleapis.com", path: path, query: query)
      }
      return try server.with(path: path, query: query)
    }

    /// The identity of an object among all sources, whatever its generation and however it is requested.
    func identity(of address: GCSAddress) -> String {
      guard let server else { return "gs://\(address.bucket)/\(address.object)" }
      // A path before the bucket ends with a character that it cannot contain.
      let place = prefix.isEmpty ? "\(server.origin)" : "\(server.origin)\(prefix)?"
      return "gs+\(place)/\(address.bucket)/\(address.object)"
    }
  }

#endif
