#if HTTP
  public import RangeIO

  /// A source that reads through a ``RemoteObject``. It says how the object is addressed and signed. All else comes
  /// from here.
  ///
  /// ```swift
  /// public final class BlobSource: RemoteSource {
  ///   public let object: RemoteObject
  ///   public var openedObject: RemoteObject? { object }
  ///
  ///   public init(_ blob: String, in account: Account, configuration: RemoteConfiguration = .init()) throws {
  ///     let url = try ObjectURL(scheme: .https, host: account.host, path: "/" + blob)
  ///     object = try RemoteObject(url, configuration: configuration, authority: account)
  ///   }
  /// }
  /// ```
  ///
  /// **Versions.** The first answer gives size and version: by a strong ETag, else by a weak one with `Last-Modified`
  /// and size, else by `Last-Modified` and size. Every later request names that version (`If-Match`), or its answer is
  /// compared with it. Each head is checked (status, range, total, version, length, encoding) before a byte of its body
  /// is used. If the version is gone, reads throw `ReadError.Code.sourceChanged`. A body that breaks is continued from
  /// where it stopped, of the same version only. No check sees wrong bytes under right headers; for that use
  /// `.verifying`.
  ///
  /// **Redirects** are followed, but never from https to http. Headers and credentials go to the origin of your URL
  /// only. The location that a redirect leads to is kept until it expires, and then asked for again.
  ///
  /// **Connections** are shared by all sources with equal connection settings, and closed with the last one.
  ///
  /// **Errors** say what the server did. Errors that may pass are `isTransient`, with `retryAfter` if the server names
  /// a time. `.retrying` repeats such reads; the source does not. No error, count or description shows user, password,
  /// a header that you send, or a signature.
  public protocol RemoteSource: RangeSource {
    /// The object. A source that looks settings up makes it at the first use.
    var object: RemoteObject { get async throws }

    /// The object, if it has been made.
    var openedObject: RemoteObject? { get }
  }

  extension RemoteSource {
    /// Asks the server for size and version, and returns when it has said so. The first time it requests
    /// ``RemoteConfiguration/opening``, whose bytes the first reads get, as they come, without another request. Later it
    /// sends a `GET` of the first byte, or `HEAD` where the opening is ``RemoteOpening/head`` and to servers that ignore
    /// ranges.
    ///
    /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (also if the server does not tell
    ///   the size), `invalidResponse`, `timedOut`, `inputOutput`, `invalidConfiguration` or `closed`; errors of the
    ///   credentials' provider; `CancellationError`.
    public nonisolated(nonsending) func describe() async throws -> SourceDescription {
      try await object.described()
    }

    /// The bytes of `range`, in memory of exactly their size.
    ///
    /// - Throws: as ``describe()``, and `sourceChanged`.
    public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await object.bytes(range, of: source)
    }

    /// The bytes of several ranges, each in memory of its own. Ranges without a gap between them are one request; as many
    /// requests run at the same time as there may be connections.
    ///
    /// - Throws: as ``read(_:of:)-(ByteRange,_)``.
    public nonisolated(nonsending) func read(
      _ ranges: [ByteRange], of source: SourceDescription
    ) async throws -> [Bytes] {
      try await object.bytes(ranges, of: source)
    }

    /// Passes the bytes of `range` to `receive`, in order and as they arrive: for long ranges that go straight to a file.
    ///
    /// - Parameters:
    ///   - range: the bytes to read.
    ///   - source: the version, as `describe()` or `renew()` returned it.
    ///   - receive: gets pieces of any size. It is called on a thread of the network, which waits for it, so it must be
    ///     quick: a write to the page cache, not a computation. What it throws ends the read, and is thrown here. It may
    ///     be called once more while a cancelled read returns.
    /// - Throws: as ``read(_:of:)-(ByteRange,_)``, and what `receive` throws.
    public nonisolated(nonsending) func read(
      _ range: ByteRange, of source: SourceDescription, receive: @escaping @Sendable (Bytes) throws -> Void
    ) async throws {
      try await object.pass(range, of: source, to: receive)
    }

    /// Passes all bytes of the object to `receive`, in order and as they arrive, from one `GET` without a range. Use it
    /// if no reader can be opened: the server does not tell the size, and the object is longer than
    /// ``RemoteConfiguration/prefixLimit``. Only the end of the body is checked. A body that breaks is not continued.
    /// The server waits while `receive` runs.
    ///
    /// - Returns: how many bytes there were.
    /// - Throws: as ``describe()``, and what `receive` throws.
    public nonisolated(nonsending) func readAll(_ receive: (Bytes) throws -> Void) async throws -> Int {
      try await object.passAll(to: receive)
    }

    /// Reads and bytes returned, requests sent, bytes received, and answers that broke and were continued.
    public func statistics() -> [Counters] { openedObject.map { [$0.counts()] } ?? [] }

    /// Ends all requests. Returns when the last connection is closed that no other source uses; in a cancelled task at once.
    public nonisolated(nonsending) func close() async { await openedObject?.end() }
  }

#else
  public import RangeIO

  /// Not built: enable the trait `HTTP`.
  @available(
    *, unavailable,
    message: "RangeIORemote is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
  )
  public protocol RemoteSource: RangeSource {}
#endif
