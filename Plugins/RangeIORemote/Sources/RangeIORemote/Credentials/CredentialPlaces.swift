#if HTTP
  internal import RangeIO
  internal import RangeIOSupport

  /// The places that credentials may come from: variables, files, programs and servers nearby. A test passes its own.
  ///
  /// For a ``RequestAuthority`` that looks its credentials up as the tools of its store do.
  public struct CredentialPlaces: Sendable {
    /// A small request to a service that gives credentials.
    public struct Request: Hashable, Sendable {
      /// `GET`, `POST`, `PUT`.
      public var method: String
      /// Where to.
      public var url: String
      /// All fields but `Host`.
      public var fields: HeaderFields
      /// The body; empty for none.
      public var body: [UInt8]
      /// For the whole exchange.
      public var timeout: Duration
      /// `true` for a service of the machine itself, which is asked without a proxy.
      public var isLocal: Bool
      /// The file of certificates to trust in place of the system's, if one is named.
      public var rootFile: String?
      /// The proxy that it goes through, unless ``isLocal``. Default: what the environment says.
      public var proxy = RemoteConfiguration.Proxy.environment
      /// Certificates that are trusted in addition. Default: none.
      public var additionalTrustRoots: [RemoteConfiguration.TrustRoots] = []

      /// A request.
      public init(
        method: String = "GET", url: String, fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        timeout: Duration, isLocal: Bool
      ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.isLocal = isLocal
      }
    }

    /// The answer to a ``Request``.
    public struct Answer: Hashable, Sendable {
      /// The status code.
      public var status: Int
      /// The fields of the head.
      public var fields: HeaderFields
      /// At most 64 KiB.
      public var body: [UInt8]

      /// An answer.
      public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
      }
    }

    /// A program that prints credentials.
    public struct Command: Hashable, Sendable {
      /// What the shell runs. It is not shown in errors: it may contain a secret.
      public var text: String
      /// What errors call it, as the subject of a sentence.
      public var name: String
      /// The most seconds that it may take.
      public var timeLimit: Int
      /// `true` if the error of a command that fails has the last line of its standard error, with `…` for what may be secret.
      public var tellsErrors: Bool

      /// A command.
      ///
      /// - Parameters:
      ///   - text: the command, as it is typed into a shell.
      ///   - name: what errors call it.
      ///   - timeLimit: the default of 60 seconds is long, because the user may have to type a code.
      ///   - tellsErrors: `false` drops what the command says on its standard error.
      public init(_ text: String, name: String, timeLimit: Int = 60, tellsErrors: Bool = false) {
        self.text = text
        self.name = name
        self.timeLimit = timeLimit
        self.tellsErrors = tellsErrors
      }
    }

    /// The variables of the environment.
    public var environment: [String: String]
    /// The home directory, which `~` stands for.
    public var home: String
    /// The text of a file; `nil` if there is none.
    public var file: @Sendable (String) async throws -> String?
    /// Writes a file that only its user may read, in place of the one at the path.
    public var save: @Sendable (_ path: String, _ bytes: [UInt8]) async throws -> Void
    /// Runs a command and returns what it prints, at most 64 KiB.
    public var run: @Sendable (Command) async throws -> [UInt8]
    /// Sends a request. Throws if there is no answer in time.
    public var send: @Sendable (Request) async throws -> Answer
    /// Seconds since 1970.
    public var now: @Sendable () -> Int
    /// What is renewed at this moment, by the path of its file. It goes on without those who wait: the old token may be used up.
    var renewals = SharedWork<String, any Sendable>(outlivesWaiters: true)
    /// How services are reached: as ``trusting(_:)`` and ``reaching(as:)`` say.
    private var reach = Reach()

    fileprivate struct Reach: Hashable, Sendable {
      var rootFile: String?
      var proxy: RemoteConfiguration.Proxy?
      var additionalTrustRoots: [RemoteConfiguration.TrustRoots] = []
    }

    /// Equal for places where the same credentials are found: with the same environment, and services that are reached in the
    /// same way.
    public struct Identity: Hashable, Sendable, CustomReflectable {
      fileprivate let environment: [String: String]
      fileprivate let home: String
      fileprivate let reach: Reach
      /// Those of the process, or of one test.
      fileprivate let owner: ObjectIdentifier

      /// Shows nothing: variables may be secrets.
      public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// What sources of one process may share credentials by.
    public var identity: Identity {
      Identity(environment: environment, home: home, reach: reach, owner: ObjectIdentifier(renewals))
    }

    /// Places of a test. Files are not written, unless ``save`` is set.
    public init(
      environment: [String: String], home: String, file: @escaping @Sendable (String) async throws -> String?,
      run: @escaping @Sendable (Command) async throws -> [UInt8],
      send: @escaping @Sendable (Request) async throws -> Answer, now: @escaping @Sendable () -> Int
    ) {
      self.environment = environment
      self.home = home
      self.file = file
      save = { _, _ in }
      self.run = run
      self.send = send
      self.now = now
    }

    /// Reads what the file at `path` keeps, and renews it if it must: once for all who ask at the same time. A token that renews
    /// another is often good only once.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - work: reads the file, renews what it has, and writes it. All who ask for one path expect the same type.
    /// - Throws: what `work` throws; `CancellationError`.
    public func renewing<Value: Sendable>(
      _ path: String, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      let value = try await renewals.value(for: path, work)
      guard let value = value as? Value else { return try await work() }
      return value
    }

    /// The variable called `name`; an empty one counts as none.
    public func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// These, with requests that trust the certificates of a file in place of the system's.
    public func trusting(_ rootFile: String) -> CredentialPlaces {
      var places = changing { $0.rootFile = rootFile }
      places.reach.rootFile = rootFile
      return places
    }

    /// These, with requests that go through the proxy of a source, and trust the certificates that it trusts in addition.
    public func reaching(as remote: RemoteConfiguration) -> CredentialPlaces {
      var places = changing { request in
        request.proxy = remote.proxy
        request.additionalTrustRoots = remote.additionalTrustRoots
      }
      places.reach.proxy = remote.proxy
      places.reach.additionalTrustRoots = remote.additionalTrustRoots
      return places
    }

    private func changing(_ change: @escaping @Sendable (inout Request) -> Void) -> CredentialPlaces {
      var places = self
      places.send = { [send] request in
        var request = request
        change(&request)
        return try await send(request)
      }
      return places
    }

    /// The text of a file at the place where a tool keeps it: one that this user may not read counts as none, as it does to the
    /// tools. A service may run without a home of its own.
    public func usualFile(_ path: String) async throws -> String? {
      do {
        return try await file(path)
      } catch let error as ReadError where [.permissionDenied, .unsupportedSource].contains(error.code) {
        return nil
      }
    }

    /// A path whose `~` is replaced.
    public func path(_ path: String) -> String { path.hasPrefix("~/") ? home + path.dropFirst() : path }
  }

  extension CredentialPlaces: CustomReflectable {
    /// Shows nothing: variables may be secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
