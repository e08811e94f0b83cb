import RangeIO
import RangeIOExecutor

/// The library without its cache: no stages, no settings but the engine, chunks of streams as they come by default. One
/// reader serves all tasks.
struct RangeIOPeer: PointReader {
  let reader: RangeReader
  /// Where its tasks run; `nil`: on Swift's own threads.
  var executor: ReadingExecutor?

  static func contenders(_ file: BenchmarkFile) async throws -> [Contender] {
    let engines: [(Contender.Name, FileSource.Engine, String)] = [
      (.rangeIO, .automatic, "automatic"), (.rangeIODispatch, .dispatchIO, "dispatchIO"),
    ]
    var contenders: [Contender] = []
    for (name, engine, label) in engines {
      let peer = RangeIOPeer(reader: try await DefaultReader.uncached(file.path, engine: engine))
      contenders.append(
        Contender(
          name: name, variants: { _ in [peer.variant("engine: .\(label)")] }, close: { await peer.reader.close() }))
    }
    let direct = RangeIOPeer(reader: try await RangeReader(FileSource(file.path, engine: .direct)))
    contenders.append(
      Contender(
        name: .rangeIODirect,
        variants: { $0.temperature == .cold ? [direct.variant("engine: .direct")] : [] },
        close: { await direct.reader.close() }))
    let inPlace = RangeIOPeer(
      reader: try await RangeReader(InPlaceSource(file.path)), executor: ReadingExecutor(maxThreads: 128))
    contenders.append(
      Contender(
        name: .rangeIOInPlace,
        variants: { $0.workload == .stream ? [] : [inPlace.variant("ReadingExecutor")] },
        close: { await inPlace.reader.close() }))
    return contenders
  }

  func variant(_ label: String) -> Variant {
    Variant(label: label) { job in
      let before = reader.statistics().source
      var outcome =
        switch job {
        case .reads(let offsets, let size, let concurrency):
          try await withTaskExecutorPreference(executor) { try await run(offsets, size, concurrency) }
        case .stream(let byteCount): try await stream(byteCount)
        }
      for lane in reader.statistics().source {
        outcome.lanes[lane.name] = (lane.bytes ?? 0) - before.count("bytes", of: lane.name)
      }
      return outcome
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    try await reader.read(offset..<offset + count).piece
  }

  @concurrent private func stream(_ byteCount: Int) async throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    var check = StreamCheck()
    for try await bytes in reader.stream(0..<byteCount) { try check.take(bytes.piece) }
    try check.finish(byteCount)
    return Outcome(elapsed: clock.now - start)
  }
}

extension Bytes {
  var piece: Piece { Piece(count: count, firstWord: integer(at: 0, .littleEndian) ?? 0) }

  /// The same of bytes that lie where they always did: looked into at one offset of sixteen. Those who copy have just
  /// touched the memory that they return; to touch kept memory costs a miss of the processor's caches, which is not
  /// the look-up's.
  func sampledPiece(at offset: Int) -> Piece {
    offset >> 12 & 15 == 0 ? piece : Piece(count: count, firstWord: nil)
  }
}
