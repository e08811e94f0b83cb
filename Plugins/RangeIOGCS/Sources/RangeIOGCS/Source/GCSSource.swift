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
  /// **Stored bytes.** An object that was stored with `Content-Encoding: gzip` is not decompressed: its size, its ranges and
  /// its bytes are those that are stored.
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
    private struct State {
      var resolved: ResolvedGCSObject?
      var isClosed = false
    }
    private let address: Result<GCSAddress, ReadError>
    private let configuration: Configuration
    private let places: CredentialPlaces
    private let state = Guarded(State())

    /// The object of `address`. The first use reads settings and connects, not this call.
    public convenience init(_ address: GCSAddress, configuration: Configuration = Configuration()) {
      self.init(.success(address), configuration)
    }

    /// The object at `gs://bucket/object`, also with `#` and a generation, or at `https://storage.googleapis.com/bucket/object`.
    /// If it is no such address, the first use throws.
    public convenience init(_ url: String, configuration: Configuration = Configuration()) {
      self.init(Result { () throws(ReadError) in try GCSAddress(url) }, configuration)
    }

    init(
      _ address: Result<GCSAddress, ReadError>, _ configuration: Configuration,
      places: CredentialPlaces = .process()
    ) {
      self.address = address
      self.configuration = configuration
      self.places = places
    }

    /// The name of the object in errors and listings.
    public var name: String {
      switch address {
      case .success(let address): ObjectURL.shown(address.description)
      case .failure(let error): error.source ?? ""
      }
    }

    /// The object that the source reads. The first use reads the settings.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` or `closed`.
    public var object: RemoteObject { get async throws { try resolved().object } }

    /// The same; `nil` before the first use.
    public var openedObject: RemoteObject? { state.withLock { $0.resolved?.object } }

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
      return try await resolved().urlSigner.url(seconds: Int(duration.components.seconds))
    }

    /// Ends all requests and waits for tokens. Returns when the last connection is closed that no other source uses; in
    /// a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      let resolved = state.withLock { state in
        state.isClosed = true
        return state.resolved
      }
      guard let resolved else { return }
      resolved.authority.close()
      await resolved.object.close()
    }

    private func resolved() throws -> ResolvedGCSObject {
      let (known, isClosed) = state.withLock { ($0.resolved, $0.isClosed) }
      if let known { return known }
      if isClosed { throw closed }
      let made = try ResolvedGCSObject(address.get(), configuration, places)
      return try state.withLock { state throws(ReadError) in
        if state.isClosed { throw closed }
        let kept = state.resolved ?? made
        state.resolved = kept
        return kept
      }
    }

    private var closed: ReadError {
      ReadError(.closed, "the source is closed: make a new one to read on", source: name)
    }
  }

  extension GCSSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }

#endif
