#if HTTP
  public import RangeIO
  internal import RangeIOHTTPTestServer
  public import RangeIORemote

  /// Checks that a source of remote objects gets no wrong byte from a store that answers oddly.
  ///
  /// ```swift
  /// @Test(.timeLimit(.minutes(5))) func `my source stands odd answers`() async throws {
  ///   try await RemoteConformance.check(secrets: ["my key"]) { origin, configuration in
  ///     try MySource("folder/object", at: origin, key: "my key", configuration: configuration)
  ///   }
  /// }
  /// ```
  ///
  /// It starts an ``OddServer`` for each answer, and opens its object with sources of yours. The server gives the answer
  /// when the object is opened and when it is read, once and always, before and after the object was replaced. Each read must return the bytes of one version, the one that was described, or throw a
  /// `ReadError` that says what is wrong. Nothing may hang or show a secret, or still be there when the sources are
  /// closed.
  ///
  /// It is for sources over `RangeIORemote`. It does not see whether you sign as your store wants, unless you tell it
  /// (`accepts`). `SourceConformance` of RangeIOTesting checks what holds for every source.
  public enum RemoteConformance {
    /// The faults of a source.
    public struct Violation: Error, CustomStringConvertible {
      /// A line for each: the name of the answer, or the seed, and what was wrong.
      public let description: String
    }

    /// Opens and reads an object whose store gives each of `answers`, four at a time.
    ///
    /// Give the test a time limit: a source that does not even answer cancellation makes it wait for ever.
    ///
    /// - Parameters:
    ///   - answers: which. Default: all.
    ///   - secrets: what may not be seen in an error, in a description of the source, nor by another server.
    ///   - accepts: whether your store would accept this request: its signature, its token. Default: any request. It is not
    ///     asked about requests to where a redirect has led, which no authority signs.
    ///   - make: creates a source of an object at `origin` (scheme, host and port), in whatever folder. Pass the
    ///     configuration on: with other time limits than its own the check takes long.
    /// - Throws: ``Violation`` with a line for each answer that the source does not stand; any error that `make` throws.
    public static func check<Source: RangeSource>(
      _ answers: [OddServer.Answer] = OddServer.Answer.all, secrets: [String] = [],
      accepts: @escaping @Sendable (OddServer.Request) -> Bool = { _ in true },
      _ make: @escaping @Sendable (_ origin: String, _ configuration: RemoteConfiguration) async throws -> Source
    ) async throws {
      let next = ServerMemory()
      let faults = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var faults: [String] = []
            while case let number = next.count("answers"), number < answers.count {
              let answer = answers[number]
              do {
                try await OddStore.with(secrets: secrets, accepts: accepts) { store in
                  try await OddRun(store: store, make: make).check(answer)
                }
              } catch let fault as Fault { faults.append("\(answer.name): \(fault.text)") }
            }
            return faults
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      guard faults.isEmpty else { throw Violation(description: faults.joined(separator: "\n")) }
    }
  }

#else
  /// Not built: enable the trait `HTTP`.
  @available(
    *, unavailable,
    message:
      "RangeIORemoteTesting is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
  )
  public enum RemoteConformance {}
#endif
