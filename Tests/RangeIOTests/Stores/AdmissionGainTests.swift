import Testing

@testable import RangeIO

/// Whether it pays to keep more of a source, event by event.
struct AdmissionGainTests {
  /// Feeds reads of which so many in a hundred would be hits, would be admitted, and are hits. Returns the changes.
  private func feed(
    _ gain: inout AdmissionGain, windows: Int, wouldHit: Int, wouldAdmit: Int, bypassHits: Int = 0, hits: Int
  ) -> Int {
    var changes = 0
    for number in 0..<windows * AdmissionGain.window {
      let place = number * 37 % 100
      let outcome: AdmissionShadow.Outcome =
        place < wouldHit ? .hit : place < wouldHit + wouldAdmit ? .admitted : .first
      let outcomes = AdmissionShadow.Outcomes(keeping: outcome, bypassing: place < bypassHits ? .hit : .first)
      if gain.read(outcomes, isHit: place >= 100 - hits) { changes += 1 }
    }
    return changes
  }

  private func gain(miss: Int64, keeping: Int64, lookUp: Int64) -> AdmissionGain {
    var gain = AdmissionGain()
    for _ in 0..<200 {
      gain.readTook(miss)
      gain.keepingTook(keeping)
      gain.lookUpTook(lookUp)
    }
    return gain
  }

  @Test func `a store that has nearly everything is worth keeping`() {
    var gain = gain(miss: 1000, keeping: 1000, lookUp: 150)
    #expect(feed(&gain, windows: 20, wouldHit: 95, wouldAdmit: 5, hits: 95) == 0)
    #expect(!gain.isBypassing)
    #expect(gain.saving == 850)
    #expect(abs(gain.gain - (0.95 * 850 - 0.05 * 1000)) < 10)
  }

  @Test func `where one read in ten would be a hit, the reads of a quick source pass, and those of a slow one do not`()
  {
    var quick = gain(miss: 1000, keeping: 1000, lookUp: 150)
    #expect(feed(&quick, windows: 20, wouldHit: 10, wouldAdmit: 18, hits: 10) == 1)
    #expect(quick.isBypassing)
    var slow = gain(miss: 40_000, keeping: 1000, lookUp: 150)
    #expect(feed(&slow, windows: 20, wouldHit: 10, wouldAdmit: 18, hits: 10) == 0)
  }

  @Test func `reads of which nothing comes back pass, whatever they take`() {
    var gain = AdmissionGain()
    #expect(feed(&gain, windows: 1, wouldHit: 0, wouldAdmit: 0, hits: 0) == 1)
    #expect(gain.isBypassing)
  }

  @Test func `they come back as soon as it pays, and not while the store has as much as it could`() {
    var gain = gain(miss: 1000, keeping: 1000, lookUp: 150)
    _ = feed(&gain, windows: 4, wouldHit: 0, wouldAdmit: 100, hits: 0)
    #expect(gain.isBypassing)
    #expect(feed(&gain, windows: 10, wouldHit: 50, wouldAdmit: 10, hits: 50) == 0)
    #expect(gain.isBypassing)
    #expect(feed(&gain, windows: 4, wouldHit: 100, wouldAdmit: 0, hits: 50) == 1)
    #expect(!gain.isBypassing)
  }

  @Test func `reads pass where that finds as much, for less`() {
    var gain = gain(miss: 1900, keeping: 1500, lookUp: 150)
    // As of uniform reads of twice as much as there is room for.
    // What it finds says its simulation: the store has less as yet.
    #expect(feed(&gain, windows: 10, wouldHit: 50, wouldAdmit: 50, bypassHits: 50, hits: 20) == 1)
    #expect(gain.isBypassing && gain.gain > 0 && gain.bypassGain > gain.gain)
    #expect(gain.whyBypassing.hasPrefix("keeping less of this source finds about as much"))
    // Less than keeping everything, and still more by its simulation than the store as it is.
    #expect(feed(&gain, windows: 10, wouldHit: 60, wouldAdmit: 40, bypassHits: 55, hits: 10) == 0)
    // What was popular changes, and bypassing finds nothing of it any more.
    #expect(feed(&gain, windows: 10, wouldHit: 80, wouldAdmit: 20, bypassHits: 10, hits: 10) == 1)
    #expect(!gain.isBypassing)
  }

  @Test func `a decision stands for two windows at least`() {
    var gain = gain(miss: 1000, keeping: 1000, lookUp: 150)
    var changed: [Int] = []
    for window in 0..<100 {
      let isGood = window / 2 % 2 == 0
      let changes = feed(&gain, windows: 1, wouldHit: isGood ? 100 : 0, wouldAdmit: isGood ? 0 : 100, hits: 0)
      #expect(changes <= 1)
      if changes == 1 { changed.append(window) }
    }
    #expect(changed.count > 10)
    #expect(zip(changed, changed.dropFirst()).allSatisfy { $1 - $0 >= AdmissionGain.minWindows })
  }

  @Test func `a single long time moves an average a little`() {
    var average = AdmissionGain.Average(assuming: 500)
    average.add(1000)
    #expect(average.nanoseconds == 1000)
    average.add(1_000_000_000)
    #expect(average.nanoseconds < 1250)
    average.add(-5)
    #expect(average.nanoseconds > 0)
    for _ in 0..<500 { average.add(30_000) }
    #expect(average.nanoseconds > 25_000)
  }

  @Test func `it tells why reads pass`() {
    var gain = gain(miss: 1000, keeping: 1100, lookUp: 150)
    _ = feed(&gain, windows: 4, wouldHit: 10, wouldAdmit: 20, hits: 5)
    #expect(gain.whyBypassing.contains("a hit saves 0.85 µs"))
    #expect(gain.whyBypassing.contains("keeping a block takes 1.10 µs"))
    #expect(gain.whyBypassing.contains("of reads would be hits"))
  }
}
