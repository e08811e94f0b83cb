#if HTTP
  internal import RangeIO
  internal import RangeIOHTTPTestServer
  internal import RangeIORemote
  internal import RangeIOSupport
  internal import RangeIOTesting

  /// One task's reads of an ``OddStore``.
  struct ReadRun<Source: RangeSource> {
    let store: OddStore
    var random: SeededGenerator
    /// `nil`: no stages.
    let pipeline: (@Sendable () -> ReadPipeline)?
    let make: @Sendable (_ origin: String, _ configuration: RemoteConfiguration) async throws -> Source
    private(set) var figures = RemoteConformance.Figures()

    init(
      store: OddStore, random: SeededGenerator, pipeline: (@Sendable () -> ReadPipeline)?,
      _ make: @escaping @Sendable (_ origin: String, _ configuration: RemoteConfiguration) async throws -> Source
    ) {
      (self.store, self.random, self.pipeline, self.make) = (store, random, pipeline, make)
    }

    /// Reads `count` ranges, at least with two readers.
    mutating func read(_ count: Int) async throws {
      let length = max(1, min(50, (count + 1) / 2))
      for (number, first) in stride(from: 0, to: count, by: length).enumerated() {
        try await session(min(length, count - first), number.isMultiple(of: 2) ? .beginning : .head)
      }
    }

    /// Opens a reader and reads `count` ranges. A reader that cannot be opened is opened again, up to 20 times.
    private mutating func session(_ count: Int, _ opening: RemoteOpening) async throws {
      for _ in 0..<20 {
        let source = try await make(store.server.origin, store.configuration(opening))
        let reader: RangeReader
        do { reader = try await RangeReader(source, pipeline?() ?? []) } catch {
          note(error)
          await source.close()
          continue
        }
        // Past stages nothing is received.
        let remote = pipeline == nil ? source as? any RemoteSource : nil
        for number in 0..<count { await read(number, reader, remote) }
        return await reader.close()
      }
    }

    private mutating func read(_ number: Int, _ reader: RangeReader, _ source: (any RemoteSource)?) async {
      let start = Int.random(in: 0..<OddStore.size, using: &random)
      let range = start..<min(OddStore.size, start + Int.random(in: 1...30_000, using: &random))
      let began = ContinuousClock.now
      do {
        let bytes = try await read(range, number % 3, reader, source)
        let isRight = [OddStore.present, OddStore.past].contains {
          bytes == OddStore.content(range, $0)
        }
        if isRight { figures.right += 1 } else { figures.wrong.append("bytes of \(range)") }
      } catch {
        note(error)
      }
      figures.longest = max(figures.longest, ContinuousClock.now - began)
    }

    /// Reads, streams or receives; the last only of a source that can.
    private func read(
      _ range: Range<Int>, _ way: Int, _ reader: RangeReader, _ source: (any RemoteSource)?
    ) async throws -> Bytes {
      switch (way, source) {
      case (1, _): return try await reader.stream(range).collect(upTo: .mebibytes(1))
      case (2, let source?):
        let received = Guarded<[UInt8]>([])
        try await source.read(range, of: source.describe()) { bytes in received.withLock { $0 += Array(bytes) } }
        return Bytes(received.withLock { $0 })
      default: return try await reader.read(range)
      }
    }

    private mutating func note(_ error: any Error) {
      guard let error = error as? ReadError else { return figures.wrong.append("no ReadError: \(error)") }
      let text = "\(error) \(String(reflecting: error))"
      if store.secrets.contains(where: { text.contains($0) }) { figures.wrong.append("an error shows a secret") }
      figures.errors["\(error.code): \("\(error.message.prefix(60))".filter { !$0.isNumber })", default: 0] += 1
    }
  }
#endif
