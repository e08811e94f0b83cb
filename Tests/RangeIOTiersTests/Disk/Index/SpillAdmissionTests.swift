import Testing

@testable import RangeIO
@testable import RangeIOTiers

/// Which blocks a full store writes.
struct SpillAdmissionTests {
  private func record(reads: Int, isOnTrial: Bool) -> SpilledBlock {
    var record = SpilledBlock(segment: 0, offset: 0, stored: 1, fetchedAt: 0)
    record.reads = reads
    record.isOnTrial = isOnTrial
    return record
  }

  private func departure(proven: Int, onTrial: Int, estimate: Int, blocks: Int = 40) -> SpillAdmission.Departure {
    var departure = SpillAdmission.Departure()
    for _ in 0..<blocks {
      departure.add(record(reads: proven, isOnTrial: false), estimate: estimate)
      departure.add(record(reads: onTrial, isOnTrial: true), estimate: estimate)
    }
    return departure
  }

  /// A block comes, and may be written.
  private func offer(_ key: UInt64, to admission: inout SpillAdmission) -> SpillAdmission.Verdict {
    admission.saw(key, among: 1000)
    return admission.judge(key, among: 1000)
  }

  @Test func `a block is refused when it comes first, and written when it comes again`() {
    var admission = SpillAdmission()
    #expect(offer(1, to: &admission) == .refused)
    #expect(offer(1, to: &admission) == .often)
    #expect(offer(2, to: &admission) == .refused)
  }

  @Test func `what comes no more often than what leaves is written on trial only`() {
    var admission = SpillAdmission()
    admission.note(departure(proven: 1, onTrial: 1, estimate: 4))
    #expect(offer(1, to: &admission) == .refused)
    #expect(offer(1, to: &admission) == .onTrial)
    // Four times what leaves came 1.6 times as often as needed at seven.
    for _ in 0..<4 { admission.saw(1, among: 1000) }
    #expect(admission.judge(1, among: 1000) == .refused, "six is less than 1.6 times four")
    #expect(offer(1, to: &admission) == .often)
  }

  @Test func `trials that do not pay become one of eight, and come back when they pay`() {
    var admission = SpillAdmission()
    admission.note(departure(proven: 3, onTrial: 0, estimate: 10))
    func trials(_ keys: Range<UInt64>) -> Int {
      keys.count { key in
        _ = offer(key, to: &admission)
        return offer(key, to: &admission) == .onTrial
      }
    }
    #expect(trials(0..<64) == 8)
    for _ in 0..<60 { admission.note(departure(proven: 3, onTrial: 3, estimate: 10)) }
    #expect(trials(100..<164) == 64)
  }

  @Test func `what was read often and had to go is remembered`() {
    var admission = SpillAdmission()
    admission.note(departure(proven: 1, onTrial: 1, estimate: 4))
    admission.evicted(9, among: 1000)
    #expect(offer(9, to: &admission) == .onTrial)
  }

  @Test func `marks of a record are apart from each other`() {
    var record = record(reads: 7, isOnTrial: true)
    record.hits = 3
    record.birthMilliseconds = 1_700_000_000_000
    #expect(record.isUsed && record.reads == 7 && record.hits == 3 && record.isOnTrial)
    (record.isOnTrial, record.hits) = (false, 1)
    #expect(record.isUsed && record.reads == 7 && record.hits == 1 && !record.isOnTrial)
    #expect(record.birthMilliseconds == 1_700_000_000_000)
    record.reads = 0
    #expect(record.isUsed && record.hits == 1 && record.reads == 0)
  }
}
