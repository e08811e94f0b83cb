#if HTTP
  public import RangeIO
  internal import RangeIOHTTPTransport

  /// Reads an object behind an `http` or `https` URL, in ranges.
  ///
  /// ```swift
  /// let reader = try await RangeReader(contentsOf: "https://example.com/planet.pmtiles")
  /// let header = try await reader.read(0..<127)
  /// ```
  ///
  /// `RangeReader(contentsOf:)` adds the stages that suit a remote object. Make a source yourself to choose them.
  ///
  /// **Versions.** The first answer gives size and version: by a strong ETag, else by a weak one with `Last-Modified` and
  /// size, else by `Last-Modified` and size. Every later request names that version (`If-Match`) or is compared with it,
  /// and each head is checked (status, range, total, version, length, encoding) before a byte of its body is believed. If
  /// the version is gone, reads throw `ReadError.Code.sourceChanged`. A body that breaks is continued from where it
  /// stopped, of the same version only. No check sees wrong bytes under right headers; for that use `Verifying`.
  ///
  /// **Redirects** are followed, but never from https to http. Headers and credentials go to the origin of your URL only.
  /// Where a redirect led to is kept until it expires, and looked up again then.
  ///
  /// **Connections** are shared by all sources with equal connection settings, and closed with the last one.
  ///
  /// **Errors** say what the server did. Those that may pass are `isTransient`, with `retryAfter` if the server names a
  /// time: `Retrying` repeats them, the source does not. No error, count or description shows user, password, a
  /// header that you send, or a signature.
  ///
  /// **Cancellation** is answered at once (`isPrompt`). The connection of a cancelled read is closed, unless the rest of
  /// its answer is so short that reading it takes less time than a new connection.
  public final class HTTPSource: RangeSource {
    private let object: Result<RemoteObject, ReadError>

    /// The object at `url`. The first use connects, not this call.
    ///
    /// Path and query are sent byte for byte as you give them. Only what no URL may have is percent-encoded: spaces, what
    /// is not ASCII, brackets, a lone `%`. A user and a password in the URL are used as credentials, unless the configuration has some.
    public init(_ url: String, configuration: Configuration = Configuration()) {
      do {
        let parsed = try ObjectURL(url)
        var credentials = configuration.credentials?.store
        if credentials == nil, let user = parsed.user {
          credentials = CredentialStore(fixed: CredentialStore.basic(user: user, password: parsed.password ?? ""))
        }
        object = .success(
          try RemoteObject(parsed, settings: try configuration.settings(), credentials: credentials))
      } catch {
        object = .failure(error.readError(source: ObjectURL.shown(url)))
      }
    }

    /// What errors and listings call the object: its URL without user and password, and with `…` for
    /// all of its query but a version or a part.
    public var name: String {
      switch object {
      case .success(let object): object.name
      case .failure(let error): error.source ?? ""
      }
    }

    /// Asks the server for size and version. The first time it requests ``Configuration/opening``, whose bytes the first
    /// reads get without another request. Later it sends a `GET` of the first byte, or `HEAD` where the opening is
    /// ``RemoteOpening/head`` and to servers that ignore ranges.
    ///
    /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (also if the server does not tell
    ///   the size), `invalidResponse`, `timedOut`, `inputOutput`, `invalidConfiguration` or `closed`; errors of the
    ///   credentials' provider; `CancellationError`.
    public nonisolated(nonsending) func describe() async throws -> SourceDescription {
      try await object.get().describe()
    }

    /// The bytes of `range`, in memory of exactly their size.
    ///
    /// - Throws: as ``describe()``, and `sourceChanged`.
    public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await object.get().read(range, of: source)
    }

    /// The bytes of several ranges. As many are read at the same time as there may be connections.
    ///
    /// - Throws: as ``read(_:of:)-(ByteRange,_)``.
    public nonisolated(nonsending) func read(
      _ ranges: [ByteRange], of source: SourceDescription
    ) async throws -> [Bytes] {
      try await object.get().read(ranges, of: source)
    }

    /// The bytes of `range` for a cache: one request, and each block in memory of its own.
    ///
    /// - Throws: as ``read(_:of:)-(ByteRange,_)``.
    public nonisolated(nonsending) func read(
      _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
    ) async throws -> [Bytes] {
      try await object.get().read(range, of: source, scatteredBy: grid)
    }

    /// Passes the bytes of `range` to `receive`, in order and as they arrive: for long ranges that go straight to a file.
    ///
    /// - Parameter receive: gets pieces of any size. It is called on a thread of the network, which waits for it, so it
    ///   must be quick: a write to the page cache, not a computation. What it throws ends the read, and is thrown here.
    ///   It may be called once more while a cancelled read returns.
    /// - Throws: as ``read(_:of:)-(ByteRange,_)``, and what `receive` throws.
    public nonisolated(nonsending) func read(
      _ range: ByteRange, of source: SourceDescription, receive: @escaping @Sendable (Bytes) throws -> Void
    ) async throws {
      try await object.get().read(range, of: source, receive: receive)
    }

    /// Passes all bytes of the object to `receive`, in order and as they arrive, of one `GET` without a range: for an object
    /// that is longer than ``Configuration/prefixLimit`` and whose size the server does not tell, so that no reader can be
    /// opened for it. Nothing is checked but the end of the body, and a body that breaks is not continued.
    ///
    /// - Returns: how many bytes there were.
    /// - Throws: as ``describe()``, and what `receive` throws.
    public nonisolated(nonsending) func readAll(_ receive: (Bytes) throws -> Void) async throws -> Int {
      try await object.get().readAll(receive)
    }

    /// `true`: cancelling and closing are answered at once, whatever the server does.
    public var isPrompt: Bool { true }

    /// Reads and bytes returned, requests sent, bytes received, and answers that broke and were continued.
    public func statistics() -> [ReadCounts] {
      switch object {
      case .success(let object): [object.statistics()]
      case .failure: []
      }
    }

    /// Ends all requests. Returns when the last connection is closed that no other source uses; in a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      if case .success(let object) = object { await object.close() }
    }
  }

  extension HTTPSource: CustomReflectable {
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }
#endif
