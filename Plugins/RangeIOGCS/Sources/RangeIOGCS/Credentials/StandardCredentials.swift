#if GCS
  internal import RangeIO
  internal import RangeIOSupport

  /// The places where Google's libraries look for credentials, in their order: the file that is named, the login of gcloud,
  /// the metadata server. The first that is there wins; if it cannot give a token, the search fails.
  struct StandardCredentials: Sendable {
    var places: CredentialPlaces

    private static let name = "application_default_credentials.json"

    /// What tokens come from.
    ///
    /// - Parameter expectsServer: the metadata server has given tokens before.
    /// - Throws: `ReadError` with `permissionDenied` if there is nothing.
    func source(expectsServer: Bool) async throws -> any TokenSource {
      if let path = places.variable("GOOGLE_APPLICATION_CREDENTIALS") {
        return try await Self.file(path, places)
      }
      let folder = places.variable("CLOUDSDK_CONFIG") ?? "~/.config/gcloud"
      let path = places.path("\(folder)/\(Self.name)")
      // A folder that a variable names is meant; the usual one may be another user's.
      let isNamed = places.variable("CLOUDSDK_CONFIG") != nil
      let text = try await isNamed ? places.file(path) : places.usualFile(path)
      if let text { return try Self.source(text, path) }
      guard let server = MetadataServer(places, isExpected: expectsServer) else { throw Self.missing }
      return server
    }

    /// What the file at `path` says.
    static func file(_ path: String, _ places: CredentialPlaces) async throws -> any TokenSource {
      guard let text = try await places.file(places.path(path)) else {
        throw ReadError(
          .notFound, "there is no file of credentials: check GOOGLE_APPLICATION_CREDENTIALS, or the configuration",
          source: path)
      }
      return try source(text, path)
    }

    private static func source(_ text: String, _ path: String) throws -> any TokenSource {
      do throws(ReadError) { return try CredentialsDocument.parse(text).tokenSource() } catch {
        throw ReadError(error.code, error.message, source: path)
      }
    }

    private static let missing = ReadError(
      .permissionDenied,
      "there are no credentials in the environment or of gcloud: set GOOGLE_APPLICATION_CREDENTIALS, run "
        + "gcloud auth application-default login, or ask for anonymous access")
  }

#endif
