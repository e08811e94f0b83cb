#if Azure
  internal import RangeIO
  @_exported public import RangeIORemote

  /// Reads a blob of Azure Storage (block, append or page blob), in ranges.
  ///
  /// ```swift
  /// let reader = try await RangeReader(azure: "az://maps/tiles/2026.pmtiles")
  /// let header = try await reader.read(0..<127)
  /// ```
  ///
  /// `RangeReader(azure:)` adds the stages that suit a remote object. Make a source yourself to choose them.
  ///
  /// **Versions.** Each request names the blob's ETag (`If-Match`), and reads of a blob that was overwritten or appended to
  /// throw `ReadError.Code.sourceChanged`. Each head is checked before a byte of its body is believed. To read a blob as it
  /// was, name a version or a snapshot in its address.
  ///
  /// **Credentials** are fetched anew before they end and when the service refuses them, once for all reads. If this machine's
  /// clock is wrong, the source learns the difference once. What still fails says the service's code and what to do.
  ///
  /// **Connections** are shared by all sources with equal settings, and closed with the last one.
  ///
  /// **Cancellation** is answered at once.
  ///
  /// No error, count or description shows a key, a token or a signature.
  public final class AzureSource: RemoteSource {
    private let blob: Result<ResolvedBlob, ReadError>
    /// The name of the blob in errors and listings: its address, without a signature.
    public let name: String

    /// The blob of `address`. The environment is read now; the first use connects.
    ///
    /// - Parameters:
    ///   - address: the blob.
    ///   - name: what identifies the blob in caches: sources of one name are one blob, in all its versions. `nil`: its
    ///     server, container and name.
    ///   - configuration: how it is requested.
    public convenience init(
      _ address: AzureAddress, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(.success(address), identifiedBy: name, configuration, .process())
    }

    /// The blob at `az://account/container/blob`, `abfss://container@account.dfs.core.windows.net/blob` or an https URL of
    /// the blob service. If it is no such address, the first use throws.
    /// The other initializer describes the parameters.
    public convenience init(
      _ address: String, identifiedBy name: String? = nil, configuration: Configuration = Configuration()
    ) {
      self.init(
        Result { () throws(ReadError) in try AzureAddress(address) }, identifiedBy: name, configuration, .process())
    }

    init(
      _ address: Result<AzureAddress, ReadError>, identifiedBy identifier: String? = nil,
      _ configuration: Configuration,
      _ places: CredentialPlaces
    ) {
      switch address {
      case .success(let address):
        name = ObjectURL.shown(address.name)
        blob = Result { () throws(ReadError) in
          do throws(ReadError) {
            return try ResolvedBlob.make(address, identifiedBy: identifier, configuration, places)
          } catch {
            throw ReadError(error.code, error.message, source: address.name)
          }
        }
      case .failure(let error):
        name = error.source ?? ""
        blob = .failure(error)
      }
    }

    /// The object that the source reads.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration` for an address or settings that cannot be right.
    public var object: RemoteObject { get async throws { try blob.get().object } }

    /// The same; `nil` for an address or settings that cannot be right.
    public var openedObject: RemoteObject? {
      if case .success(let blob) = blob { blob.object } else { nil }
    }

    /// Ends all requests and waits for credentials. Returns when the last connection is closed that no other source
    /// uses; in a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      guard case .success(let blob) = blob else { return }
      blob.authority.close()
      await blob.object.close()
    }
  }

  extension AzureSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }

#endif
