#if HTTP
  public import RangeIO
  internal import RangeIOSupport

  /// An object behind a URL that ends, and that a closure renews: a source.
  ///
  /// ```swift
  /// let source = try RenewedObject { try await service.signedURL(for: "planet.pmtiles") }
  /// ```
  ///
  /// The object asks for a new URL five minutes before the end that the URL says (the signatures of
  /// ``ObjectURL/expiry``). It also asks when the server answers 401, 403 or 410, or 400 with `ExpiredToken` or to a URL
  /// that has ended. A read or stream in flight goes on where it was. Other answers, such as 404 and 503, do not ask for a
  /// new URL.
  ///
  /// **One question.** However many reads wait, `renewing` is called once at a time. A read that is cancelled leaves at
  /// once, and the call goes on for the others; it is cancelled when the source is closed. A read, also the first,
  /// waits for a minute, or for `readTimeout`. A call that takes more than 90 seconds is given up, and the next read
  /// asks again.
  ///
  /// **Failures.** If `renewing` throws, all reads that need a new URL throw: a `ReadError` as it is, another error as
  /// the `cause` of one. The next read asks again. If the server refuses the new URL too, the read throws
  /// `permissionDenied`. It asks again only after 16 KiB of progress.
  ///
  /// **One object.** Cached bytes stay valid under a new URL, since the first URL, without its signature, names the
  /// object, or the name that you give. The new URL must be one of the same object. If it leads to another version,
  /// reads throw `ReadError.Code.sourceChanged`, and no read mixes the two. If the server sends neither tag nor date,
  /// only another size shows.
  ///
  /// **Headers** of the configuration go to each URL that `renewing` brings, whatever its server, and so do a user and
  /// a password that it has. A URL of http does not take the place of one of https.
  public final class RenewedObject: RemoteSource, CustomReflectable {
    private let authority: RenewingAuthority
    private let configuration: RemoteConfiguration
    private let identifier: String?
    private let opened: Guarded<RemoteObject?>

    /// The object. The first use connects, not this call.
    ///
    /// - Parameters:
    ///   - url: the URL to begin with, `http` or `https`; `nil`: `renewing` is asked for it at the first use.
    ///   - name: what identifies the object among all sources, as for ``RemoteObject``; `nil`: the first URL.
    ///   - configuration: how it is requested. It may have no ``RemoteConfiguration/credentials``.
    ///   - renewing: returns a URL of the object.
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(
      _ url: String? = nil, identifiedBy name: String? = nil,
      configuration: RemoteConfiguration = RemoteConfiguration(),
      renewing: @escaping @Sendable () async throws -> String
    ) throws(ReadError) {
      do throws(ReadError) {
        guard configuration.credentials == nil else {
          throw ReadError(
            .invalidConfiguration,
            "the URL is renewed, and the configuration has credentials: put what reads the object into the URL, or remove one"
          )
        }
        let first = try url.map { text throws(ReadError) in try ObjectURL(text) }
        let authority = RenewingAuthority(first, renew: renewing)
        let object = try first.map { url throws(ReadError) in
          try RemoteObject(url, identifiedBy: name, configuration: configuration, authority: authority)
        }
        (self.configuration, identifier, self.authority) = (configuration, name, authority)
        opened = Guarded(object)
      } catch { throw url.map { error.naming(ObjectURL.shown($0)) } ?? error }
    }

    /// The first URL without its secrets. Before it is known, the name that identifies the object, or nothing.
    public var name: String { openedObject?.name ?? identifier ?? "" }

    /// The object. Without a URL to begin with, the first use asks for one.
    ///
    /// - Throws: what bringing the URL throws; `ReadError` with `invalidConfiguration`, `timedOut` or `closed`;
    ///   `CancellationError`, at once.
    public var object: RemoteObject {
      get async throws {
        if let openedObject { return openedObject }
        let url = try await named()
        // Making one opens no connection, so a second one costs nothing. One is kept.
        let made = try RemoteObject(
          url, identifiedBy: identifier, configuration: configuration, authority: authority)
        return opened.withLock { opened in
          opened = opened ?? made
          return opened ?? made
        }
      }
    }

    /// The first URL. Waits no longer than a read does that needs a new one.
    private func named() async throws -> ObjectURL {
      do {
        try configuration.check()
        // For its waits alone: there is no object yet.
        let core = try ObjectCore(ObjectURL("http://first.invalid"), configuration)
        return try await core.leavingBehind(until: core.deadline) { [authority] in try await authority.named() }
      } catch let failure as Failure {
        throw failure.readError(source: nil)
      }
    }

    /// The same, if the first URL is known.
    public var openedObject: RemoteObject? { opened.withLock { $0 } }

    /// Ends all requests and waits for a URL. Returns when the last connection is closed that no other source uses; in
    /// a cancelled task at once.
    public nonisolated(nonsending) func close() async {
      authority.close()
      await openedObject?.close()
    }

    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
  }
#endif
