/// Decides if it pays to keep more of one source, from the hits and times of reads of a sample of its blocks. A pure
/// value.
///
/// A hit saves the difference between a read of the source and a look-up; a miss that is kept costs what keeping takes. So
/// keeping everything that is read a second time gains, for each read, *hits × saving − admissions × cost*, by the share
/// of reads that would be hits and admissions (``AdmissionShadow``). Where that is less than nothing, or less than bypassing
/// gains, the reads of the source bypass the store. They are looked up, and the store keeps one in sixty-four of those
/// that it would keep otherwise. Reads still find what the store has, so bypassing gains something, too: what the
/// simulation says, or what the store finds.
///
/// Changes of mind have a margin and a time to stay, since the shares come from samples.
struct AdmissionGain: Equatable, Sendable {
  /// The reads of the sample after which it decides.
  static let window = 256
  /// Windows that a decision stands at least.
  static let minWindows = 2
  /// While reads bypass the store, it still keeps one read in this many.
  static let bypassShare = 64

  /// An average of about the last sixteen times, in nanoseconds. A time counts as at most four times the average.
  struct Average: Equatable, Sendable {
    private(set) var nanoseconds: Double
    private(set) var isMeasured = false

    init(assuming nanoseconds: Double) { self.nanoseconds = nanoseconds }

    mutating func add(_ sample: Int64) {
      let sample = Double(max(0, sample))
      guard isMeasured else {
        (nanoseconds, isMeasured) = (sample, true)
        return
      }
      nanoseconds += (min(sample, 4 * nanoseconds + 100) - nanoseconds) / 16
    }
  }

  /// Numbers of reads. Older reads count less.
  private struct Counts: Equatable {
    var reads = 0.0
    var wouldHit = 0.0
    var wouldAdmit = 0.0
    /// If reads bypassed the store.
    var bypassHits = 0.0
    var bypassAdmissions = 0.0
    var hits = 0.0

    mutating func halve() {
      reads /= 2
      wouldHit /= 2
      wouldAdmit /= 2
      bypassHits /= 2
      bypassAdmissions /= 2
      hits /= 2
    }
  }

  /// The time of a read that the store could have answered, from below the cache.
  private(set) var miss = Average(assuming: 0)
  /// The time that the store takes to keep bytes, beyond the time to read them.
  private(set) var keeping = Average(assuming: 1000)
  /// The time of a look-up that finds something.
  private(set) var lookUp = Average(assuming: 150)
  private var counts = Counts()
  private var seen = 0
  private var windowsLeft = 0
  /// Reads bypass the store.
  private(set) var isBypassing = false
  /// The number of times that the decision has changed.
  private(set) var changes = 0

  init() {}

  mutating func readTook(_ nanoseconds: Int64) { miss.add(nanoseconds) }
  mutating func keepingTook(_ nanoseconds: Int64) { keeping.add(nanoseconds) }
  mutating func lookUpTook(_ nanoseconds: Int64) { lookUp.add(nanoseconds) }

  /// Notes a read of the sample. Returns `true` if that has changed the decision.
  ///
  /// - Parameters:
  ///   - outcomes: what the store would have made of it.
  ///   - isHit: `true` if the store had the bytes.
  mutating func read(_ outcomes: AdmissionShadow.Outcomes, isHit: Bool) -> Bool {
    counts.reads += 1
    switch outcomes.keeping {
    case .hit: counts.wouldHit += 1
    case .admitted: counts.wouldAdmit += 1
    case .first: break
    }
    switch outcomes.bypassing {
    case .hit: counts.bypassHits += 1
    case .admitted: counts.bypassAdmissions += 1
    case .first: break
    }
    if isHit { counts.hits += 1 }
    seen += 1
    guard seen >= Self.window else { return false }
    seen = 0
    defer { counts.halve() }
    windowsLeft -= 1
    guard windowsLeft <= 0, decide() != isBypassing else { return false }
    isBypassing.toggle()
    changes += 1
    windowsLeft = Self.minWindows
    return true
  }

  /// The time that a hit saves, in nanoseconds.
  var saving: Double { max(0, miss.nanoseconds - lookUp.nanoseconds) }

  /// The gain for each read of keeping everything that is read twice, in nanoseconds.
  var gain: Double { gain(hits: counts.wouldHit, admissions: counts.wouldAdmit) }

  /// The gain for each read of letting reads bypass the store, in nanoseconds.
  var bypassGain: Double { gain(hits: counts.bypassHits, admissions: counts.bypassAdmissions) }

  private func gain(hits: Double, admissions: Double) -> Double {
    counts.reads > 0 ? (hits * saving - admissions * keeping.nanoseconds) / counts.reads : 0
  }

  /// The share of reads that the store had.
  var hitRatio: Double { counts.reads > 0 ? counts.hits / counts.reads : 0 }
  /// The share of reads that it would have if it kept everything that is read twice.
  var possibleHitRatio: Double { counts.reads > 0 ? counts.wouldHit / counts.reads : 0 }

  /// Why reads bypass the store, for users.
  var whyBypassing: String {
    func microseconds(_ nanoseconds: Double) -> String {
      let hundredths = Int(nanoseconds / 10)
      return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) µs"
    }
    func percent(_ share: Double) -> String { "\(Int(share * 100))%" }
    let figures =
      "a hit saves \(microseconds(saving)), keeping a block takes \(microseconds(keeping.nanoseconds)), and "
      + "\(percent(possibleHitRatio)) of reads would be hits, where \(percent(hitRatio)) are"
    return gain > 0
      ? "keeping less of this source finds about as much and costs less, so most reads bypass it: " + figures
      : "keeping more of this source would cost more than it saves, so most reads bypass it: " + figures
  }

  private func decide() -> Bool {
    // Less than this is noise, and less than what bypassing saves.
    let margin = miss.nanoseconds / 50
    return isBypassing
      ? gain <= max(bypassGain, hitRatio * saving) + margin : gain <= max(margin, bypassGain - margin)
  }
}
