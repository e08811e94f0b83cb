#if S3
  internal import RangeIO
  @_exported public import RangeIORemote
  internal import RangeIOSupport

  /// Reads an object of S3, or of a store that speaks its protocol (MinIO, Ceph, R2, Google Cloud Storage in
  /// interoperability mode), in ranges.
  ///
  /// ```swift
  /// let reader = try await RangeReader(contentsOf: "s3://planet/tiles/2026.pmtiles")
  /// let header = try await reader.read(0..<127)
  /// ```
  ///
  /// `RangeReader(contentsOf:)` adds the stages that suit a remote object. Make a source yourself to choose them.
  ///
  /// **Versions.** In a bucket with versions, the source pins the version that it finds. An object that is overwritten
  /// stays readable as it was, as long as the bucket keeps that version. In other buckets each request names the
  /// object's ETag (`If-Match`), and reads of an object that was overwritten throw `ReadError.Code.sourceChanged`. Each
  /// head is checked before a byte of its body is believed. Checksums of ranges do not exist: for those use
  /// `Verifying`.
  ///
  /// **Regions, clocks, credentials.** If the bucket is in another region, the source goes there and remembers it. If this
  /// machine's clock is wrong, it learns the difference once. Credentials are fetched anew before they end and when the
  /// server refuses them, once for all reads. What still fails says the server's code and what to do.
  ///
  /// **Connections** are shared by all sources with equal settings, and closed with the last one.
  ///
  /// **Cancellation** is answered at once.
  ///
  /// No error, count or description shows a key, a token or a signature. For a presigned URL, which is plain HTTPS, use
  /// `RangeReader(contentsOf:)` or the plugin RangeIOHTTP.
  public final class S3Source: RemoteSource {
    private struct State {
      var resolved: ResolvedObject?
      var isClosed = false
    }
    private let address: Result<S3Address, ReadError>
    private let identifier: String?
    private let configuration: Configuration
    private let places: CredentialPlaces
    private let regions: BucketRegions
    private let state = Guarded(State())

    /// The object of `address`. The first use reads settings and connects, not this call.
    ///
    /// - Parameters:
    ///   - address: the object.
    ///   - name: what identifies the object in caches: sources of one name are one object, in all its versions. `nil`:
    ///     its server, bucket and key.
    ///   - configuration: how it is requested.
    public convenience init(
      _ address: S3Address, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(.success(address), identifiedBy: name, configuration)
    }

    /// The object at `s3://bucket/key`, also with `?versionId=…`. If it is no such address, the first use throws.
    /// The other initializer describes the parameters.
    public convenience init(
      _ url: String, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(Result { () throws(ReadError) in try S3Address(url) }, identifiedBy: name, configuration)
    }

    init(
      _ address: Result<S3Address, ReadError>, identifiedBy name: String? = nil, _ configuration: Configuration,
      places: CredentialPlaces = .process(rootVariable: "AWS_CA_BUNDLE"), regions: BucketRegions = .shared
    ) {
      self.address = address
      identifier = name
      self.configuration = configuration
      self.places = places
      self.regions = regions
    }

    /// The name of the object in errors and listings.
    public var name: String {
      switch address {
      case .success(let address): ObjectURL.shown(address.description)
      case .failure(let error): error.source ?? ""
      }
    }

    /// The object that the source reads. The first use looks up region and endpoint. Two first uses at once may both do so; one
    /// is kept.
    ///
    /// The first request looks for credentials.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`, such as for a profile that is not there, `permissionDenied` for a
    ///   file of settings that may not be read, `limitExceeded` for one of more than 1 MiB, or `closed`.
    public var object: RemoteObject { get async throws { try await resolved().object } }

    /// The same; `nil` before the first use.
    public var openedObject: RemoteObject? { state.withLock { $0.resolved?.object } }

    /// Returns a URL that anybody can read the object with until it expires, or until the credentials do that sign it. It
    /// is a secret: keep it out of logs. Asks no server whether the object exists.
    ///
    /// - Parameter duration: from 1 second to 7 days; fractions of a second are dropped.
    /// - Throws: `ReadError` with `invalidConfiguration` for another duration or anonymous access, and as `describe()`.
    public nonisolated(nonsending) func presignedURL(expiresIn duration: Duration) async throws -> String {
      guard (.seconds(1))...(.seconds(604_800)) ~= duration else {
        throw ReadError(
          .invalidConfiguration, "a presigned URL is good for 1 second to 7 days: choose a duration between",
          source: name)
      }
      return try await resolved().authority.presignedURL(seconds: Int(duration.components.seconds))
    }

    /// Asks the store for the checksum of the whole object that it keeps, for a stage that checks it:
    /// ``S3Checksum/verifying``. One request, after the object has been described.
    ///
    /// It is that of the version which the store has at that moment. If the object is replaced before a reader opens it, what is
    /// read does not match, and reads fail: ask again, or name the version (`?versionId=`) of an object that changes.
    ///
    /// - Returns: `nil` if the store has no checksum of the whole object, or one by an algorithm that is not among
    ///   ``S3Checksum/Algorithm``. An object that was uploaded in parts may have a checksum of the parts' checksums
    ///   (`COMPOSITE`) instead, which says nothing of the whole.
    /// - Throws: as `describe()`.
    public nonisolated(nonsending) func checksum() async throws -> S3Checksum? {
      // Mends what can be mended, which an answer to HEAD does not show.
      _ = try await describe()
      do { return try await resolved().authority.checksum() } catch let error as ReadError {
        throw ReadError(error.code, error.message, isTransient: error.isTransient, source: name)
      }
    }

    /// Ends all requests and waits for credentials. Returns when the last connection is closed that no other source
    /// uses; in a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      let resolved = state.withLock { state in
        state.isClosed = true
        return state.resolved
      }
      guard let resolved else { return }
      resolved.authority.close()
      await resolved.object.close()
    }

    private nonisolated(nonsending) func resolved() async throws -> ResolvedObject {
      if let known = try known() { return known }
      let made = try await ResolvedObject.make(
        address.get(), identifiedBy: identifier, configuration, places, regions)
      return try state.withLock { state throws(ReadError) in
        if state.isClosed { throw closed }
        let kept = state.resolved ?? made
        state.resolved = kept
        return kept
      }
    }

    private func known() throws(ReadError) -> ResolvedObject? {
      let (resolved, isClosed) = state.withLock { ($0.resolved, $0.isClosed) }
      if resolved == nil, isClosed { throw closed }
      return resolved
    }

    private var closed: ReadError {
      ReadError(.closed, "the source is closed: make a new one to read on", source: name)
    }
  }

  extension S3Source: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }

#endif
