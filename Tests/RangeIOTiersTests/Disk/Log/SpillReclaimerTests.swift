import Testing

@testable import RangeIO
@testable import RangeIOTiers

/// What is freed, and what is copied on, decision by decision.
struct SpillReclaimerTests {
  private typealias Candidate = SpillReclaimer.Candidate
  private typealias Victim = SpillReclaimer.Victim

  private let reclaimer = SpillReclaimer(segmentBytes: 1000, limit: 20_000)

  /// Full segments of which half is live; the first is the oldest.
  private func segments(_ count: Int) -> [Candidate] {
    (0..<count).map { Candidate(place: UInt32($0), rank: UInt64(10 + $0), length: 1000, liveBytes: 500) }
  }

  @Test func `nothing is freed where there is nothing`() { #expect(reclaimer.victim(among: []) == nil) }

  @Test func `the oldest goes, wherever it stands`() {
    #expect(reclaimer.victim(among: segments(20).reversed()) == Victim(place: 0))
  }

  @Test func `a segment of which less than a fifth is live goes before the oldest`() {
    var all = segments(20)
    all[7].liveBytes = 200
    #expect(reclaimer.victim(among: all) == Victim(place: 0))
    all[7].liveBytes = 199
    #expect(reclaimer.victim(among: all) == Victim(place: 7))
    all[9].liveBytes = 198
    #expect(reclaimer.victim(among: all) == Victim(place: 9))
  }

  @Test func `a segment of which seven tenths were read is spared, and no more than an eighth of all`() {
    var all = segments(24)
    all[0].hitBytes = 700
    #expect(reclaimer.victim(among: all) == Victim(place: 1, spared: [0]))
    all[2].hitBytes = 700
    #expect(reclaimer.victim(among: all) == Victim(place: 1, spared: [0]))
    for index in all.indices { all[index].hitBytes = 700 }
    #expect(reclaimer.victim(among: all) == Victim(place: 3, spared: [0, 1, 2]))
    all[0].hitBytes = 699
    #expect(reclaimer.victim(among: all) == Victim(place: 0))
  }

  @Test func `the only segment goes, though it was read`() {
    var all = segments(1)
    all[0].hitBytes = 700
    #expect(reclaimer.victim(among: all) == Victim(place: 0, spared: [0]))
  }

  @Test func `small segments are merged only when there are too many`() {
    #expect(reclaimer.maxSegments == 40)
    var all = segments(41)
    #expect(reclaimer.victimToMerge(among: all, of: 41, free: 1000) == nil, "all are full")
    all[5] = Candidate(place: 5, rank: 15, length: 500)
    all[6] = Candidate(place: 6, rank: 16, length: 400)
    #expect(reclaimer.victimToMerge(among: all, of: 40, free: 1000) == nil)
    #expect(reclaimer.victimToMerge(among: all, of: 41, free: 1000) == Victim(place: 6, isMerged: true))
    #expect(reclaimer.victimToMerge(among: all, of: 41, free: 399) == nil, "the open segment has no room for it")
  }

  @Test func `tombstones never take more than half of a segment`() {
    #expect(reclaimer.roomForTombstones(free: 900) == 500)
    #expect(reclaimer.roomForTombstones(free: 300) == 300)
    #expect(reclaimer.roomForTombstones(free: -1) == 0)
  }

  @Test func `copies take a third of a segment, and none while much waits to be written`() {
    #expect(reclaimer.roomForCopies(isCopying: true, isBehind: false) == 350)
    #expect(reclaimer.roomForCopies(isCopying: true, isBehind: true) == 0)
    #expect(reclaimer.roomForCopies(isCopying: false, isBehind: false) == 0)
  }

  // MARK: a survey

  private func record(_ segment: UInt32, at offset: Int, hits: Int) -> SpillTable.Record {
    var record = SpillTable.Record(segment: segment, offset: offset, stored: 32, fetchedAt: 0)
    record.hits = hits
    return record
  }

  @Test func `the most read records are copied in the order of the file, and the others remembered`() {
    var survey = SpillReclaimer.Survey(Victim(place: 3))
    let all = [
      record(3, at: 800, hits: 3), record(3, at: 400, hits: 2), record(3, at: 600, hits: 2),
      record(3, at: 200, hits: 1), record(4, at: 0, hits: 3), record(3, at: 96, hits: 2),
    ]
    for record in all { #expect(survey.see(record) == (record.segment == 3 ? .leave : .stay)) }
    // A record takes 64 bytes of header, and 32.
    let (copied, forgotten) = survey.copies(room: all[0].span * 3)
    #expect(copied.map(\.offset) == [96, 400, 800])
    #expect(forgotten.map(\.offset) == [600])
    let nothing = survey.copies(room: 0)
    #expect(nothing.copied.isEmpty && nothing.forgotten.count == 4)
  }

  @Test func `records of spared segments lose a hit, and those of the victim do not`() {
    var survey = SpillReclaimer.Survey(Victim(place: 3, spared: [1, 3]))
    #expect(survey.see(record(1, at: 0, hits: 1)) == .spendHit)
    #expect(survey.see(record(2, at: 0, hits: 1)) == .stay)
    #expect(survey.see(record(3, at: 0, hits: 1)) == .leave)
  }

  @Test func `all of a merged segment is copied, whatever the room`() {
    var survey = SpillReclaimer.Survey(Victim(place: 3, isMerged: true))
    for offset in [160, 80, 240] { _ = survey.see(record(3, at: offset, hits: 0)) }
    let (copied, forgotten) = survey.copies(room: 0)
    #expect(copied.map(\.offset) == [80, 160, 240] && forgotten.isEmpty)
  }
}
