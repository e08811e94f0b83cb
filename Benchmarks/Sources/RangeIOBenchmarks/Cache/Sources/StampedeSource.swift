import RangeIO
import Synchronization

/// A source of one block that answers when everybody who wants it has said so: nobody comes late and finds it cached.
final class StampedeSource: RangeSource {
  private struct State {
    var missing: Int
    var reads = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// - Parameter expected: how many will come.
  init(expecting expected: Int) { state = Mutex(State(missing: expected)) }

  var use: SourceUse { state.withLock { SourceUse(reads: $0.reads, bytes: $0.reads * CacheTopic.blockSize) } }

  /// To be called by everyone, right before he reads.
  func arrive() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.missing -= 1
      guard state.missing == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }

  nonisolated(nonsending) func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "stampede", validator: OnlyVersion(), byteCount: CacheTopic.blockSize,
      // Nobody cancels here.
      preferredBlockSize: .bytes(CacheTopic.blockSize), traits: .neverWaiting)
  }

  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        state.reads += 1
        if state.missing > 0 { state.waiting.append(continuation) }
        return state.missing <= 0
      }
      if isComplete { continuation.resume() }
    }
    return BlockSource.bytes(range)
  }
}
