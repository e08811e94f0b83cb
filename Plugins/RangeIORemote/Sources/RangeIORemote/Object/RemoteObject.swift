#if HTTP
  public import RangeIO
  internal import Synchronization

  /// An object behind a URL, itself a source: describes it and reads its ranges, always of one version. Sources of your own
  /// pass all calls on to one (``RemoteSource``).
  ///
  /// Every wait answers a cancelled task at once, and ends with `ReadError.Code.closed` when the object is closed.
  public final class RemoteObject: RemoteSource, CustomReflectable {
    struct Described: Sendable {
      var last: SourceDescription?
      /// Measured once, so that descriptions are alike.
      var cost: SourceDescription.Cost?
      /// The bytes that come with the last description.
      var opening: OpeningBody?

      mutating func cost(_ measure: OriginMeasure) -> SourceDescription.Cost {
        let cost = cost ?? measure.cost
        self.cost = cost
        return cost
      }
      /// What the object is, if it only grows, since the first description.
      var recording: GrowingObject?
    }
    let core: ObjectCore
    /// Its name in errors and listings: never shows a secret. Of a URL: without user and password, and with `…` for all
    /// of its query but a version or a part.
    public let name: String
    /// Names it among all sources.
    let id: String
    let state = Locked(Described())
    let forward = ForwardBodies()

    /// This object.
    public var object: RemoteObject { self }
    /// This object.
    public var openedObject: RemoteObject? { self }

    /// An object whose requests `authority` prepares. The first use connects, not this call.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - name: what errors and listings call it; `nil`: the URL without its secrets.
    ///   - id: what identifies it among all sources, whatever its version; `nil`: the URL without user and signature, and
    ///     without ``RemoteConfiguration/identityIgnoresQueryItems``.
    ///   - identifier: takes the place of `id`: a name that the user gave to the object.
    ///   - configuration: how it is requested.
    ///   - authority: prepares the requests, and judges error answers.
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public convenience init(
      _ url: ObjectURL, name: String? = nil, id: String? = nil, identifiedBy identifier: String? = nil,
      configuration: RemoteConfiguration, authority: any RequestAuthority
    ) throws(ReadError) {
      try self.init(url, name, try identifier.map(Self.id(named:)) ?? id, configuration, authority)
    }

    /// The object at an `http` or `https` URL. The first use connects, not this call.
    ///
    /// Path and query are sent byte for byte as you give them. Only what no URL may have is percent-encoded: spaces, what
    /// is not ASCII, brackets, a lone `%`. A user and a password in the URL are used as credentials, unless the
    /// configuration has some.
    ///
    /// - Parameters:
    ///   - url: where it is.
    ///   - name: what identifies the object among all sources, and in caches, whatever its version and its URL: two
    ///     sources of one name are one object. `nil`: the URL without user and signature, and without
    ///     ``RemoteConfiguration/identityIgnoresQueryItems``.
    ///   - configuration: how it is requested.
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public convenience init(
      _ url: String, identifiedBy name: String? = nil, configuration: RemoteConfiguration = RemoteConfiguration()
    ) throws(ReadError) {
      do {
        let parsed = try ObjectURL(url)
        var configuration = configuration
        if configuration.credentials == nil, let user = parsed.user {
          configuration.credentials = .basic(user: user, password: parsed.password ?? "")
        }
        try self.init(parsed, nil, try name.map(Self.id(named:)), configuration)
      } catch { throw error.naming(ObjectURL.shown(url)) }
    }

    /// - Parameter environment: the environment's proxies; `nil`: those of the process.
    init(
      _ url: ObjectURL, _ name: String? = nil, _ id: String? = nil, _ configuration: RemoteConfiguration,
      _ authority: (any RequestAuthority)? = nil, environment: ProxyEnvironment? = nil
    ) throws(ReadError) {
      self.name = name ?? url.redacted
      self.id =
        (id ?? url.identity(without: configuration.identityIgnoresQueryItems))
        + (configuration.isAppendOnly ? ":recording" : "")
      do {
        try configuration.check()
        core = try ObjectCore(url, configuration, authority: authority, environment: environment)
      } catch { throw error.readError(source: name ?? url.redacted) }
    }

    /// The identity of an object that the user has named: none of a URL.
    private static func id(named name: String) throws(ReadError) -> String {
      guard !name.isEmpty else {
        throw ReadError(
          .invalidConfiguration, "the name that identifies the object is empty: give one that no other object has")
      }
      return "name:" + name
    }

    /// Asks the server what the object is now, and returns as soon as it has said so. The first time some bytes come along,
    /// for the first reads, and go on coming after that.
    ///
    /// - Throws: `ReadError`; errors of the credentials' provider; `CancellationError`, at once.
    nonisolated(nonsending) func described() async throws -> SourceDescription {
      do {
        if core.rules.isAppendOnly { return try await describedGrowing(until: core.deadline) }
        let opening = OpeningBody(core)
        let transfer = description(opening)
        try await transfer.run()
        return adopt(transfer.description, opening)
      } catch let failure as Failure {
        var error = failure.readError(source: name)
        error.isUnreached = [.unresolved, .refused, .connectTimeout].contains(failure.reason) && isUnheard
        throw error
      } catch let error as ReadError {
        // Of a service that gives credentials.
        var named = error.naming(name)
        named.isUnreached = error.isUnreached && isUnheard
        throw named
      }
    }

    /// The server of the object has not answered yet.
    private var isUnheard: Bool { core.learnt.withLock { !$0.measure.hasLatency } }

    // Never inlined, as in `Transfer`.
    @inline(never) private func description(_ opening: OpeningBody) -> Transfer<DescriptionMachine> {
      let known = state.withLock { $0.last?.traits.context as? Snapshot }?.version
      return core.description(core.opening(knowing: known), knowing: known, opening: opening, until: core.deadline)
    }

    deinit { state.withLock { $0.opening }?.stop() }

    /// Ends all requests and reads. Returns when no connection is used any more; in a cancelled task at once.
    nonisolated(nonsending) func end() async {
      await core.close()
      // What came along is read no more.
      state.withLock { $0.opening.take() }?.stop()
    }

    /// The counts of this object: reads and bytes returned, requests sent, bytes received, answers that broke and were
    /// continued.
    func counts() -> Counters {
      func count(_ count: ObjectCore.Count) -> Int { core.counts.sum(count.rawValue) }
      return Counters(
        "http",
        counts: [
          "reads": count(.reads), "bytes": count(.bytes), "requests": count(.requests),
          "bytes received": count(.received), "answers continued": count(.continued),
        ],
        wastedBytes: max(0, count(.ended) - count(.bytes)))
    }

    /// Shows the name only: what requests are made of has secrets.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// The context of this object's descriptions. Caches keep it for as long as they keep bytes of the version: so it
    /// holds neither the object nor its connections.
    final class Snapshot: MeasuredCost, CustomReflectable {
      let version: ObjectVersion
      let pin: VersionPin
      /// The number of the ``GrowingObject``, if it is one.
      let recording: UInt64?
      let facts: ObjectFacts?
      /// No range can be requested.
      let hasNoRanges: Bool
      /// Only the end of all bytes told the size.
      let isSizeByEnd: Bool
      let stated: SourceDescription.Cost
      private weak let core: ObjectCore?
      let extent = Locked(FetchExtent())
      /// The bytes that come along.
      private let opening = Locked(Opening())
      var atHand: ByteRange? { opening.withLock { $0.body }?.atHand }
      var isArriving: Bool { opening.withLock { $0.body }?.isComing ?? false }
      /// Also where all bytes came along, once they had to go.
      var isReadForward: Bool { hasNoRanges && atHand != 0..<version.size }

      init(
        _ version: ObjectVersion, _ pin: VersionPin, stated: SourceDescription.Cost, hasNoRanges: Bool,
        isSizeByEnd: Bool = false, facts: ObjectFacts? = nil, _ core: ObjectCore, _ recording: UInt64? = nil
      ) {
        self.version = version
        self.recording = recording
        self.facts = facts
        self.hasNoRanges = hasNoRanges
        self.isSizeByEnd = isSizeByEnd
        self.pin = pin
        self.stated = stated
        self.core = core
      }

      private struct Opening: Sendable {
        weak var body: OpeningBody?
      }

      /// These bytes come along.
      func opens(with body: OpeningBody) { opening.withLock { $0.body = body } }

      /// Nothing: what requests are made of has secrets.
      var customMirror: Mirror { Mirror(self, children: []) }

      func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement? {
        guard stated == self.stated, let core else { return nil }
        let measure = core.learnt.withLock { $0.measure }
        let connections = core.settings.maxConnectionsPerHost
        return .init(
          measure.cost, isGuess: !measure.hasRate, isYoung: measure.isYoung, leastLatency: measure.leastLatency,
          connections: connections)
      }

      var fetchSize: Int? {
        guard let core, core.settings.blockSize == nil else { return nil }
        return core.learnt.withLock { $0.measure.fetchSize }
      }
    }

    /// The snapshot that `source` carries.
    func snapshot(of source: SourceDescription) throws(ReadError) -> Snapshot {
      guard let snapshot = source.traits.context as? Snapshot else {
        throw ReadError(
          .invalidConfiguration, "another source has made this description: pass one of this source", source: name)
      }
      return snapshot
    }
  }
#endif
