internal import CRangeIOExecutor
internal import Synchronization

/// Decides whether a read that is the only one under way is looked for, again and again, or waited for: by the time that such
/// reads took lately.
///
/// To sleep and to be woken takes the processor about as long as a quick disk takes. So where lone reads take 15 to 100 µs it is
/// looked for, for twice their usual time at most. Shorter ones were in memory, and longer ones are worth the sleep. Where the
/// system cannot say what it has, or does not begin to read what it is asked for, looks find nothing: after eight in a row only
/// one lone read in 256 is looked for, until one is found. On a machine with one processor none is.
final class LoneReads: Sendable {
  static let quick: ClosedRange<Int64> = 15_000...100_000
  static let maxFailures = 8
  /// After so many failures in a row, one in this many is looked for.
  static let pause = 256

  /// A moving average in nanoseconds; 0 if nothing is known.
  private let usual = Atomic<Int64>(0)
  /// Looks in a row that found nothing.
  private let failures = Atomic<Int>(0)
  /// Lone reads since the last look, once there are few.
  private let skipped = Atomic<Int>(0)
  private let mayLook: Bool

  init(processors: Int = Int(rie_processor_count())) { mayLook = processors > 1 }

  /// For how long a read is looked for that begins now, in nanoseconds. 0: it is waited for.
  func patience() -> Int64 {
    let usual = usual.load(ordering: .relaxed)
    guard mayLook, Self.quick.contains(usual) else { return 0 }
    guard failures.load(ordering: .relaxed) >= Self.maxFailures else { return 2 * usual }
    // Once it is due it stays due until a look has an outcome: it may be interrupted, or find the bytes in memory.
    return skipped.wrappingAdd(1, ordering: .relaxed).newValue >= Self.pause ? 2 * usual : 0
  }

  /// A lone read took so long, in nanoseconds: from when it was first looked for, if it was.
  func took(_ nanoseconds: Int64) {
    let (took, before) = (max(1, nanoseconds), usual.load(ordering: .relaxed))
    // Of two that end at the same time one may not count.
    usual.store(before == 0 ? took : before + (took - before) / 8, ordering: .relaxed)
  }

  /// A read was looked for that was not there at the first look, for all of its time unless it was found.
  func looked(found: Bool) {
    skipped.store(0, ordering: .relaxed)
    if found { failures.store(0, ordering: .relaxed) } else { failures.wrappingAdd(1, ordering: .relaxed) }
  }
}
