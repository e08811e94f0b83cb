#if HTTP

  import Foundation
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  /// Reads from nginx and Apache.
  struct RealServerReadTests {
    @Test(.timeLimit(.minutes(10)), arguments: [RealServer.Kind.nginx, .apache])
    func `1,000 random ranges equal the file and what curl gets`(_ kind: RealServer.Kind) async throws {
      guard kind.isUsable else { return }
      try await RealServer.with(kind) { server in
        let bytes = ServedObject.content(0..<3_000_000)
        try server.replace("object", with: bytes, modified: 1_700_000_000)
        let source = HTTPSource(server.url("/object"), configuration: Liar().source)
        let description = try await source.describe()
        #expect(description.byteCount == bytes.count && description.traits.isSettled && description.validator != nil)
        var random = SeededGenerator(seed: RunScale.seed)
        let ranges = (0..<1_000).map { _ in
          let start = Int.random(in: 0..<bytes.count, using: &random)
          return start..<min(bytes.count, start + Int.random(in: 1...40_000, using: &random))
        }
        for range in ranges {
          let read = try await source.read(range, of: description)
          #expect(read.areContent(range), "seed \(RunScale.seed), \(range)")
        }
        let fetched = try await Curl.fetch(server.url("/object"), ranges)
        #expect(fetched.elementsEqual(ranges.lazy.map { Array(bytes[$0]) }), "seed \(RunScale.seed)")
        await source.close()
      }
    }

    /// The file of a version: no two have the same time, and each has its own bytes.
    private func replace(_ server: RealServer, version: Int) throws {
      try server.replace(
        "object", with: ServedObject.content(0..<Self.size, version: version), modified: 1_700_000_000 + 10 * version)
    }

    private static let size = 4 << 20

    /// The result of one read while the server was disturbed.
    private enum Outcome: Hashable, Sendable, CustomStringConvertible {
      /// All bytes are of the version described; all are of the next one; the source says that it changed.
      case whole, newer, changed
      case transient(String), wrong(String)

      var description: String {
        switch self {
        case .whole: "right"
        case .newer: "all of the next version, under the old tag"
        case .changed: "sourceChanged"
        case .transient(let message): "transient (\(message))"
        case .wrong(let what): "wrong (\(what))"
        }
      }
    }

    /// Reads a range of the version described, and compares it with that version.
    private static func outcome(
      _ source: HTTPSource, _ range: Range<Int>, _ description: SourceDescription, version: Int
    ) async -> Outcome {
      do {
        let bytes = try await source.read(range, of: description)
        if bytes.areContent(range, version: version) { return .whole }
        return bytes.areContent(range, version: version + 1) ? .newer : .wrong("a mix of versions in \(range)")
      } catch let error as ReadError {
        if error.code == .sourceChanged { return .changed }
        return error.isTransient ? .transient(error.message) : .wrong("\(error)")
      } catch {
        return .wrong("\(error)")
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [RealServer.Kind.nginx, .apache])
    func `restarts and replacements under way give one version or an error, never a mix`(
      _ kind: RealServer.Kind
    ) async throws {
      guard kind.isUsable else { return }
      try await RealServer.with(kind) { server in
        var counts: [Outcome: Int] = [:]
        var random = SeededGenerator(seed: RunScale.seed)
        try replace(server, version: 0)
        let source = HTTPSource(server.url("/object"), configuration: Liar().source)
        for run in 0..<RunScale.runs {
          let description = try await source.describe()
          let starts = (0..<4).map { _ in Int.random(in: 0..<Self.size / 2, using: &random) }
          let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for start in starts {
              group.addTask {
                await Self.outcome(source, start..<start + Self.size / 2, description, version: run)
              }
            }
            if run % 4 == 3 { try await server.restart() }
            try replace(server, version: run + 1)
            return try await group.reduce(into: []) { $0.append($1) }
          }
          for outcome in outcomes { counts[outcome, default: 0] += 1 }
          counts[await Self.outcome(source, 0..<1000, description, version: run), default: 0] += 1
        }
        await source.close()
        // Apache looks at the file before it opens it: a rename in between, and it sends the new file's bytes under the
        // old file's tag. That is answer 53, which no client sees. nginx opens first.
        let wrong = counts.keys.filter { if case .wrong = $0 { true } else { $0 == .newer && kind == .nginx } }
        #expect(wrong.isEmpty, "seed \(RunScale.seed): \(wrong)")
        // After each replacement the old version cannot be read any more.
        #expect(counts[.changed, default: 0] >= RunScale.runs && counts[.whole, default: 0] > 0)
        print("figures: \(kind.rawValue), \(RunScale.runs) runs, seed \(RunScale.seed): \(counts)")
      }
    }
  }

  /// curl, as another opinion.
  private enum Curl {
    /// The bytes of each range, by one process.
    static func fetch(_ url: String, _ ranges: [Range<Int>]) async throws -> [[UInt8]] {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("rangeio-curl-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      // `try?`: what stays behind is the system's to clean.
      defer { try? FileManager.default.removeItem(at: directory) }
      let requests = ranges.enumerated().map { index, range in
        """
        url = "\(url)"
        noproxy = "*"
        range = "\(range.lowerBound)-\(range.upperBound - 1)"
        output = "\(directory.path)/\(index)"
        """
      }
      let script = directory.appendingPathComponent("curl")
      try requests.joined(separator: "\nnext\n").write(to: script, atomically: true, encoding: .utf8)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["curl", "--silent", "--show-error", "--config", script.path]
      try process.run()
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          process.waitUntilExit()
          continuation.resume()
        }
      }
      #expect(process.terminationStatus == 0)
      return try ranges.indices.map { Array(try Data(contentsOf: directory.appendingPathComponent("\($0)"))) }
    }
  }

#endif
