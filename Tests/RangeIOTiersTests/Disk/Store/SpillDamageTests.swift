import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Every bit and every length of a segment: a sample, or all with `RANGEIO_FLIPS=all`.
@Suite struct SpillDamageTests {
  @Test(arguments: [true, false])
  func `a flipped bit costs what it lies in, and never serves a wrong byte`(isSealed: Bool) async throws {
    let segment = try await FilledSegment(isSealed: isSealed)
    let all = segment.chunks(segment.records[...])
    #expect(try segment.served { _ in } == all)
    let places = TestScale.damages(of: segment.byteCount * 8)
    var lost = 0
    for (bit, oneByOne) in TestScale.inTurn(places) {
      let served = try segment.served(oneByOne: oneByOne) { $0.flipBit(of: segment.path, at: bit) }
      guard let served else {
        Issue.record("wrong bytes are served after bit \(bit) was flipped")
        return
      }
      let (must, may) = segment.losses(ofByte: bit / 8)
      let missing = all.subtracting(served)
      guard must.isSubset(of: missing), missing.isSubset(of: may),
        served.subtracting(all).isSubset(of: segment.risen(ifLostFrom: bit / 8))
      else {
        Issue.record("bit \(bit) costs \(missing), not \(must) to \(may); found too: \(served.subtracting(all))")
        return
      }
      lost += missing.count
    }
    TestScale.report("\(places.count) bits of a segment flipped, sealed \(isSealed): 0 wrong, \(lost) records lost")
  }

  @Test(arguments: [true, false])
  func `what lies before a cut is served`(isSealed: Bool) async throws {
    let segment = try await FilledSegment(isSealed: isSealed)
    let places = TestScale.damages(of: segment.byteCount + 1)
    for (count, oneByOne) in TestScale.inTurn(places) {
      let served = try segment.served(oneByOne: oneByOne) { $0.truncateFile(segment.path, to: count) }
      let end = segment.records.firstIndex { $0.payload.upperBound > count } ?? segment.records.endIndex
      let whole = count < SpillFormat.headerCount ? [] : segment.chunks(segment.records[..<end])
      let isTombstoneLost = segment.records[end...].contains { $0.kind == .tombstone }
      let risen = isTombstoneLost ? segment.removed : []
      guard let served, served.isSuperset(of: whole), served.subtracting(whole).isSubset(of: risen) else {
        Issue.record("cut to \(count): \(served ?? []) are served, not \(whole)")
        return
      }
    }
    TestScale.report("\(places.count) lengths of a segment, sealed \(isSealed): all before the cut is served")
  }
}

extension TestScale {
  /// Places in something of so many bits or bytes: with `RANGEIO_FLIPS=all` all of them, or else some 1,500.
  static func damages(of count: Int) -> [Int] {
    let step = isDamageComplete ? 1 : max(1, count / 1500 | 1)
    // Where most depends on each bit, too.
    return Array(Set(stride(from: 0, to: count, by: step)).union(stride(from: 0, to: min(count, 1024), by: 7))).sorted()
  }

  /// The places, and whether the blocks are read one by one after it: both of each place if all are wanted, else in turn.
  fileprivate static func inTurn(_ places: [Int]) -> [(place: Int, oneByOne: Bool)] {
    isDamageComplete
      ? places.flatMap { [($0, false), ($0, true)] } : places.enumerated().map { ($1, $0 % 2 == 1) }
  }
}
