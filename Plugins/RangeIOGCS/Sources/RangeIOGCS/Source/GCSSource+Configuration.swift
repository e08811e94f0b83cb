#if GCS
  internal import RangeIO
  public import RangeIORemote

  extension GCSSource {
    /// Settings of a source.
    ///
    /// ```swift
    /// var billed = GCSSource.Configuration()
    /// billed.credentials = .file("/etc/maps/reader.json")
    /// billed.userProject = "maps-billing"
    /// ```
    public struct Configuration: Sendable {
      /// Where credentials come from. Default: ``GCSCredentials/standard``.
      public var credentials = GCSCredentials.standard
      /// The server's URL, for other servers than `https://storage.googleapis.com`: emulators, private and regional endpoints.
      /// `nil`, the default: `STORAGE_EMULATOR_HOST`, or Google's.
      public var endpoint: String?
      /// The API that objects are requested by. `nil`, the default: ``GCSSource/API/xml`` at Google's servers,
      /// ``GCSSource/API/json`` at all others.
      public var api: API?
      /// The project that pays for requests, of buckets whose readers pay (`x-goog-user-project`). `nil`, the default: the
      /// quota project of the credentials, if they have one; that of ``GCSCredentials/standard`` may be named by
      /// `GOOGLE_CLOUD_QUOTA_PROJECT`.
      public var userProject: String?
      /// Settings for requests: connections, times, versions of HTTP, headers. `acceptsEncoded` counts as `true`: objects
      /// stored with `Content-Encoding: gzip` are read as they are stored.
      public var remote = RemoteConfiguration()

      /// A configuration with defaults.
      public init() {}
    }
  }

  extension GCSSource.Configuration {
    /// Fields that the source sets itself.
    private static let ownFields: Set<String> = ["authorization", "x-goog-content-sha256", "x-goog-date"]

    /// Throws for settings of the transport that would be passed over.
    func check() throws(ReadError) {
      if let name = remote.headers.map(\.name).first(where: { Self.ownFields.contains($0.lowercased()) }) {
        throw ReadError(
          .invalidConfiguration, "the header '\(name)' is set by the source itself: remove it from the configuration")
      }
      guard remote.credentials == nil else {
        throw ReadError(
          .invalidConfiguration,
          "remote.credentials are not for objects of this store: put them into credentials, as .provider { … }")
      }
    }
  }

  extension GCSSource.Configuration: CustomStringConvertible, CustomReflectable {
    /// The kind of the credentials, and the names of the headers; never a secret.
    public var description: String {
      "GCSSource.Configuration(credentials: \(credentials), api: \(api.map { "\($0)" } ?? "found"), remote: \(remote))"
    }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
