import RangeIO
import Synchronization

/// How long a caller waits for a read that it has cancelled, of a source that never answers.
enum CancelContenders {
  /// Cancellations in a run.
  static let count = 2000

  static func make() async throws -> [Contender] {
    let readers: [(Contender.Name, String, ReadPipeline)] = [
      (.rangeIO, "no stages", []),
      (
        .farPipeline, "remoteObject()",
        .remoteObject(cache: MemoryStore(limit: .mebibytes(16)), maxConcurrentReads: 1 << 20)
      ),
    ]
    var contenders: [Contender] = []
    for (name, label, pipeline) in readers {
      let source = SilentSource()
      let reader = try await RangeReader(source, pipeline)
      let variant = Variant(label: label) { job in
        guard case .reads(let offsets, let size, _) = job else { preconditionFailure("a job of reads") }
        return try await time(offsets) { offset, hasBegun in
          source.onNextRead(hasBegun)
          _ = try await reader.read(offset..<offset + size)
        }
      }
      contenders.append(
        Contender(name, for: .cancel, variant) {
          source.answerAll()
          await reader.close()
        })
    }
    let sleeping = Variant(label: "Task.sleep") { job in
      guard case .reads(let offsets, _, _) = job else { preconditionFailure("a job of reads") }
      return try await time(offsets) { _, hasBegun in
        hasBegun.note()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    return contenders + [Contender(.cancelledSleep, for: .cancel, sleeping)]
  }

  /// Whether what is to be cancelled is under way.
  final class Begun: Sendable {
    private let flag = Atomic<Bool>(false)

    func note() { flag.store(true, ordering: .releasing) }
    var isTrue: Bool { flag.load(ordering: .acquiring) }
  }

  /// From cancelling a task that waits to its end, all of them together.
  @concurrent private static func time(
    _ offsets: [Int], _ body: @escaping @Sendable (Int, Begun) async throws -> Void
  ) async throws -> Outcome {
    let clock = ContinuousClock()
    var elapsed = Duration.zero
    for offset in offsets {
      let begun = Begun()
      let task = Task { try await body(offset, begun) }
      while !begun.isTrue { await Task.yield() }
      // It has begun; a moment later it waits.
      for _ in 0..<20 { await Task.yield() }
      let start = clock.now
      task.cancel()
      let result = await task.result
      elapsed += clock.now - start
      guard case .failure(let error) = result, error is CancellationError else { throw NotCancelled() }
    }
    return Outcome(elapsed: elapsed)
  }

  private struct NotCancelled: Error {}
}

/// A source that does not answer before it is told to, whoever cancels.
private final class SilentSource: RangeSource {
  private struct State {
    var waiting: [CheckedContinuation<Void, Never>] = []
    var hasBegun: CancelContenders.Begun?
  }
  private let state = Mutex(State())

  func onNextRead(_ hasBegun: CancelContenders.Begun) { state.withLock { $0.hasBegun = hasBegun } }

  func answerAll() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }

  func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "silent", validator: OnlyVersion(), byteCount: CacheTopic.cancel.extent,
      preferredBlockSize: .bytes(CacheTopic.blockSize))
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiting.append(continuation)
        state.hasBegun?.note()
      }
    }
    return Bytes(repeatElement(0, count: range.count))
  }
}
