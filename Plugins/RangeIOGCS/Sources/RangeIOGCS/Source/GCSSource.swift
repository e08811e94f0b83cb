#if GCS
  internal import RangeIO
  @_exported public import RangeIORemote
  internal import RangeIOSupport

  /// Reads an object of Google Cloud Storage, or of an emulator of it, in ranges.
  ///
  /// ```swift
  /// let reader = try await RangeReader(gcs: "gs://planet/tiles/2026.pmtiles")
  /// let header = try await reader.read(0..<127)
  /// ```
  ///
  /// `RangeReader(gcs:)` adds the stages that suit a remote object. Make a source yourself to choose them.
  ///
  /// **Versions.** The source pins the generation that it finds, and every read names it: an object that is overwritten in a
  /// bucket with versions stays readable as it was. In other buckets the old generation is gone, and reads throw
  /// `ReadError.Code.sourceChanged`. Bytes of two generations are never mixed. For checksums use `Verifying`.
  ///
  /// **Stored bytes.** An object that was stored with `Content-Encoding: gzip` is not decompressed: its size, its
  /// ranges and its bytes are the stored ones.
  ///
  /// **Tokens** are fetched anew some minutes before they end, in the middle of a stream too, and when the server refuses
  /// them; once for all reads. What still fails says the server's code and what to do.
  ///
  /// **Connections** are shared by all sources with equal settings, and closed with the last one.
  ///
  /// **Cancellation** is answered at once.
  ///
  /// No error, count or description shows a key, a token or a signature. For a signed URL, which is plain HTTPS, use
  /// `RangeReader(gcs:)` or the plugin RangeIOHTTP.
  public final class GCSSource: RemoteSource {
    private let resolved: Result<ResolvedGCSObject, ReadError>
    /// The name of the object in errors and listings.
    public let name: String

    /// The object of `address`. The environment is read now; the first use connects.
    ///
    /// - Parameters:
    ///   - address: the object.
    ///   - name: what identifies the object in caches: sources of one name are one object, in all its versions. `nil`:
    ///     its server, bucket and name.
    ///   - configuration: how it is requested.
    public convenience init(
      _ address: GCSAddress, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(.success(address), identifiedBy: name, configuration)
    }

    /// The object at `gs://bucket/object`, also with `#` and a generation, or at `https://storage.googleapis.com/bucket/object`.
    /// If it is no such address, the first use throws. The other initializer describes the parameters.
    public convenience init(
      _ url: String, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(Result { () throws(ReadError) in try GCSAddress(url) }, identifiedBy: name, configuration)
    }

    init(
      _ address: Result<GCSAddress, ReadError>, identifiedBy identifier: String? = nil, _ configuration: Configuration,
      places: CredentialPlaces = .process()
    ) {
      switch address {
      case .success(let address):
        name = ObjectURL.shown(address.description)
        resolved = Result { () throws(ReadError) in
          try ResolvedGCSObject(address, identifiedBy: identifier, configuration, places)
        }
      case .failure(let error):
        name = error.source ?? ""
        resolved = .failure(error)
      }
    }

    /// The object that the source reads.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` for an address or settings that cannot be right.
    public var object: RemoteObject { get async throws { try resolved.get().object } }

    /// The same; `nil` for an address or settings that cannot be right.
    public var openedObject: RemoteObject? {
      if case .success(let resolved) = resolved { resolved.object } else { nil }
    }

    /// Returns a URL that anybody can read the object with until it expires, signed by a service account's key or an HMAC key
    /// (V4). It is a secret: keep it out of logs. Asks no server whether the object exists.
    ///
    /// - Parameter duration: from 1 second to 7 days; fractions of a second are dropped.
    /// - Throws: `ReadError` with `invalidConfiguration` for another duration or other credentials, and as `describe()`.
    public nonisolated(nonsending) func signedURL(expiresIn duration: Duration) async throws -> String {
      guard (.seconds(1))...(.seconds(604_800)) ~= duration else {
        throw ReadError(
          .invalidConfiguration, "a signed URL is good for 1 second to 7 days: choose a duration between", source: name)
      }
      return try await resolved.get().urlSigner.url(seconds: Int(duration.components.seconds))
    }

    /// Ends all requests and waits for tokens. Returns when the last connection is closed that no other source uses; in
    /// a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      guard case .success(let resolved) = resolved else { return }
      resolved.authority.close()
      await resolved.object.close()
    }
  }

  extension GCSSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }

#endif
