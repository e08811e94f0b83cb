#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOGCS

  extension GCSScene {
    /// The credentials of `json`, at the store that accepts `token` alone.
    func expectToken(
      _ token: String, from credentials: GCSCredentials, variables: [String: String] = [:],
      files: [String: String] = [:],
      at location: SourceLocation = #_sourceLocation
    ) async throws {
      store.set { $0.tokens = [token] }
      var configuration = configuration
      configuration.credentials = credentials
      try await expectContent(
        of: source("gs://bucket/key", configuration, variables: variables, files: files), at: location)
    }

    /// The error of a first read with these credentials.
    func failure(
      of credentials: GCSCredentials, variables: [String: String] = [:], files: [String: String] = [:]
    ) async -> ReadError? {
      var configuration = configuration
      configuration.credentials = credentials
      return await failure(source("gs://bucket/key", configuration, variables: variables, files: files))
    }
  }

  extension ServerRequest {
    /// The values of a form in the body, decoded.
    var form: [String: String] {
      var target = ServerRequest(method: "GET", target: "/")
      var form: [String: String] = [:]
      for part in String(decoding: body, as: UTF8.self).split(separator: "&") {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        target.target = pair.count > 1 ? pair[1] : ""
        form[pair[0]] = target.path
      }
      return form
    }
  }

#endif
