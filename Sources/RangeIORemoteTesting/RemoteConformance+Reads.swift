#if HTTP
  public import RangeIO
  public import RangeIORemote
  internal import RangeIOTesting

  extension RemoteConformance {
    /// Reads many ranges, from eight tasks, of a store that answers oddly at random. Readers are opened anew for each 50
    /// reads at most, by a range and by `HEAD` in turn; ranges are read, streamed and received as they arrive.
    ///
    /// ```swift
    /// let figures = try await RemoteConformance.read(10_000, seed: seed) { origin, configuration in
    ///   try MySource("folder/object", at: origin, key: key, configuration: configuration)
    /// }
    /// print("seed \(seed): \(figures)")
    /// ```
    ///
    /// - Parameters:
    ///   - count: how many reads.
    ///   - answers: the odd answers, each as often as the others.
    ///   - share: how many of all answers are odd, from 0 to 1.
    ///   - connection: how the store is reached.
    ///   - seed: decides which answers are odd and what is read; not how the tasks interleave.
    ///   - stages: the stages above the source, which get the object's bytes. Default: none.
    ///   - secrets: as in ``check(_:secrets:accepts:_:)``; so are those below.
    ///   - accepts: as in ``check(_:secrets:accepts:_:)``.
    ///   - make: as in ``check(_:secrets:accepts:_:)``.
    /// - Returns: what came of the reads. A reader that cannot be opened counts as a failure.
    /// - Throws: ``Violation`` if bytes are wrong, an error is no `ReadError`, a read takes a minute, a secret is
    ///   shown or a request not accepted; any error that `make` throws.
    public static func read<Source: RangeSource>(
      _ count: Int, of answers: [OddServer.Answer] = OddServer.Answer.all, share: Double = 0.25,
      over connection: OddServer.Connection = .plain,
      seed: UInt64, through stages: (@Sendable (Bytes) -> ReadPipeline)? = nil, secrets: [String] = [],
      accepts: @escaping @Sendable (OddServer.Request) -> Bool = { _ in true },
      _ make: @escaping @Sendable (_ origin: String, _ configuration: RemoteConfiguration) async throws -> Source
    ) async throws -> Figures {
      try await OddStore.with(connection, secrets: secrets, accepts: accepts) { store in
        store.server.answer(.random(seed: seed, share: share, of: answers))
        let contents = OddStore.content(0..<OddStore.size, OddStore.present)
        let tasks = max(1, min(8, count / 25))
        var figures = try await withThrowingTaskGroup(of: Figures.self) { group in
          for task in 0..<tasks {
            group.addTask {
              let pipeline = stages.map { stages -> @Sendable () -> ReadPipeline in { stages(contents) } }
              let random = SeededGenerator(seed: seed &+ UInt64(task))
              var run = ReadRun(store: store, random: random, pipeline: pipeline, make)
              try await run.read((count + task) / tasks)
              return run.figures
            }
          }
          return try await group.reduce(into: Figures()) { $0 += $1 }
        }
        for answer in answers { figures.told[answer.name] = store.server.count(of: answer) }
        do {
          try store.checkRequests()
          if let wrong = figures.wrong.first { throw Fault("\(figures.wrong.count) reads are wrong: \(wrong)") }
          if figures.longest > OddStore.patience { throw Fault("a read takes \(figures.longest)") }
        } catch let fault as Fault { throw Violation(description: "seed \(seed): \(fault.text)") }
        return figures
      }
    }
  }
#endif
