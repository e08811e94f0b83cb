#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIORemoteTesting
  import Testing

  /// Servers that answer oddly: one answer at a time, and many reads of all of them at random.
  @Suite(.timeLimit(.minutes(20))) struct ConformanceRunTests {
    @Test func `no odd answer makes a wrong read`() async throws {
      try await RemoteConformance.check(secrets: ["the password"]) { origin, configuration in
        var configuration = configuration
        configuration.credentials = .basic(user: "user", password: "the password")
        return HTTPSource(origin + objectPath, configuration: configuration)
      }
    }

    @Test func `there are more than sixty answers, each of another name`() {
      let names = OddServer.Answer.all.map(\.name)
      #expect(names.count > 60 && Set(names).count == names.count && names.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: OddServer.Connection.allCases)
    func `many reads of a server that answers oddly have no wrong byte, and errors say what it did`(
      _ connection: OddServer.Connection
    ) async throws {
      let reads = connection == .plain ? RunScale.reads : RunScale.reads / 4
      let figures = try await RemoteConformance.read(reads, over: connection, seed: RunScale.seed) {
        HTTPSource($0 + objectPath, configuration: $1)
      }
      print("figures: \(connection), \(reads) reads, seed \(RunScale.seed): \(figures) \(figures.errors)")
      let words = [
        "the server", "answered", "http://...:", "https://...:", "connection", "the read took", "the object",
        "Content-Encoding",
      ]
      let unclear = figures.errors.keys.filter { text in !words.contains { text.contains($0) } }
      #expect(unclear.isEmpty, "seed \(RunScale.seed)")
      #expect(figures.right > reads / 4, "seed \(RunScale.seed): \(figures)")
      #expect(figures.told.values.count { $0 > 0 } > 10, "seed \(RunScale.seed): \(figures.told)")
    }

    @Test func `no wrong byte passes Verifying`() async throws {
      // Of all answers the last lie is too rare for each run to have one that is found out.
      let shifted = OddServer.Answer.shiftedBytes
      let (mixed, few) = (RunScale.reads, min(200, RunScale.reads))
      for (reads, answers) in [(mixed, OddServer.Answer.all + [shifted]), (few, [shifted])] {
        let figures = try await RemoteConformance.read(reads, of: answers, seed: RunScale.seed, through: Self.stages) {
          HTTPSource($0 + objectPath, configuration: $1)
        }
        print("figures: verified, \(reads) reads, seed \(RunScale.seed): \(figures)")
        guard answers.count == 1 else { continue }
        #expect(figures.told[shifted.name, default: 0] > 0)
        #expect(figures.errors.keys.contains { $0.hasPrefix("corrupted") })
      }
    }

    /// Stages that know the checksums of the object.
    private static let stages: @Sendable (Bytes) -> ReadPipeline = { contents in
      let digests = stride(from: 0, to: contents.count, by: 4096).map { start in
        checksum(contents[start..<min(start + 4096, contents.count)])
      }
      return [.verifying(blockSize: .kibibytes(4), digests: digests, hash: checksum)]
    }
  }

#endif
