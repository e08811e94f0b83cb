import RangeIOTesting

@testable import RangeIO

/// A source that does not say that it may grow, and becomes another version, is looked at in vain, or takes its time, as
/// a test wants.
final class ChangingSource: RangeSource {
  struct State {
    var version: UInt64 = 0
    var byteCount: Int
    /// Looks that fail from now on.
    var failures = 0
    var looks = 0
    var isSettled = true
  }
  private struct Version: SourceDescription.Validator {
    let number: UInt64
    let byteCount: Int

    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      guard let newer = newer as? Version, newer.number == number else { return .other }
      return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
    }
  }
  private let state: Locked<State>

  init(byteCount: Int) { state = Locked(State(byteCount: byteCount)) }

  var looks: Int { state.withLock { $0.looks } }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  /// Becomes another version of so many bytes.
  func become(_ byteCount: Int) { change { ($0.version, $0.byteCount) = ($0.version + 1, byteCount) } }

  func expected(_ range: ByteRange) -> Bytes { SyntheticSource.bytes(range, version: state.withLock { $0.version }) }

  func describe() async throws -> SourceDescription {
    let now = try state.withLock { state throws(ReadError) in
      state.looks += 1
      guard state.failures == 0 else {
        state.failures -= 1
        throw ReadError(.inputOutput, "made up: it could not be looked at", isTransient: true)
      }
      return state
    }
    return SourceDescription(
      id: "changing", validator: Version(number: now.version, byteCount: now.byteCount),
      byteCount: now.byteCount, traits: .with { $0.isSettled = now.isSettled })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let version = state.withLock { $0.version }
    guard (source.validator as? Version)?.number == version else {
      throw ReadError(.sourceChanged, "made up: it is another version")
    }
    return SyntheticSource.bytes(range, version: version)
  }
}
