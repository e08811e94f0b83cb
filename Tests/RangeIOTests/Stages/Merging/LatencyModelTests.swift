import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct LatencyModelTests {
  private static let far = SourceDescription.Cost(latency: .milliseconds(20), bytesPerSecond: 100e6)

  private func time(_ byteCount: Int, _ cost: SourceDescription.Cost = far, factor: Double = 1) -> Duration {
    (cost.latency + .seconds(Double(byteCount) / cost.rate)) * factor
  }

  private func isNear(_ value: Double, _ other: Double, within share: Double) -> Bool {
    abs(value - other) <= share * abs(other)
  }

  @Test func `until something is measured, the source is believed`() {
    let model = LatencyModel(Self.far)
    #expect(isNear(model.gap, 2e6, within: 1e-9))
    #expect(LatencyModel(SourceDescription.Cost(latency: .zero, bytesPerSecond: 1)).gap == 0)
    #expect(LatencyModel(SourceDescription.Cost(latency: .zero, bytesPerSecond: .infinity)).gap == 0)
    #expect(LatencyModel(SourceDescription.Cost(latency: .seconds(1), bytesPerSecond: .infinity)).gap == .infinity)
    // What cannot be is taken for nothing said.
    #expect(LatencyModel(SourceDescription.Cost(latency: .seconds(-1), bytesPerSecond: -5)).gap == 0)
  }

  @Test(arguments: testSeeds) func `it comes to the latency and bandwidth that there are`(seed: UInt64) {
    var random = TestRandom(seed)
    // The declared cost is of another world.
    for declared in [SourceDescription.Cost(), SourceDescription.Cost(latency: .seconds(5), bytesPerSecond: 1e4)] {
      var model = LatencyModel(declared)
      for _ in 0..<200 {
        let byteCount = 1 + random.below(4 << 20)
        model.add(byteCount, took: time(byteCount))
      }
      #expect(isNear(model.latency, 0.02, within: 0.01), "seed \(seed): \(model)")
      #expect(isNear(model.gap, 2e6, within: 0.02), "seed \(seed): \(model)")
    }
  }

  @Test(arguments: testSeeds) func `times that vary by a fifth, and some that hang, do not mislead it`(seed: UInt64) {
    var random = TestRandom(seed)
    var model = LatencyModel(SourceDescription.Cost())
    var worst = 1.0
    for number in 0..<400 {
      let byteCount = [4096, 65_536, 1 << 20, 8 << 20][random.below(4)]
      let factor = number % 50 == 7 ? 1000 : 0.8 + Double(random.below(400)) / 1000
      model.add(byteCount, took: time(byteCount, factor: factor))
      if number > 100 { worst = max(worst, model.gap / 2e6, 2e6 / model.gap) }
    }
    #expect(worst < 1.5, "seed \(seed)")
  }

  @Test func `one read that hangs moves little`() {
    var model = LatencyModel(Self.far)
    for number in 0..<100 {
      let byteCount = (number % 10) << 18
      model.add(byteCount, took: time(byteCount))
    }
    let gap = model.gap
    model.add(1 << 20, took: .seconds(3600))
    #expect(isNear(model.gap, gap, within: 0.05))
    for number in 0..<100 {
      let byteCount = (number % 10) << 18
      model.add(byteCount, took: time(byteCount))
    }
    #expect(isNear(model.gap, gap, within: 0.01))
  }

  @Test func `a first read that hangs is forgotten with the third that does not`() {
    var model = LatencyModel(Self.far)
    model.add(4096, took: .seconds(60))
    for _ in 0..<3 { model.add(4096, took: time(4096)) }
    #expect(isNear(model.gap, 2e6, within: 0.01))
  }

  @Test func `reads of one size tell the latency, and the slope stays`() {
    var model = LatencyModel(SourceDescription.Cost(latency: .milliseconds(1), bytesPerSecond: 100e6))
    for _ in 0..<100 { model.add(65_536, took: time(65_536)) }
    #expect(isNear(model.secondsPerByte, 1e-8, within: 1e-9))
    #expect(isNear(model.latency, 0.02, within: 0.01))
    // A slope that was measured stays, too.
    for number in 0..<100 {
      let byteCount = (number % 10) << 18
      model.add(byteCount, took: time(byteCount, .init(latency: .milliseconds(20), bytesPerSecond: 10e6)))
    }
    #expect(isNear(model.secondsPerByte, 1e-7, within: 0.01))
    for _ in 0..<1000 {
      model.add(65_536, took: time(65_536, .init(latency: .milliseconds(20), bytesPerSecond: 10e6)))
    }
    #expect(isNear(model.secondsPerByte, 1e-7, within: 0.05))
    #expect(isNear(model.latency, 0.02, within: 0.05))
  }

  @Test func `a time that reads beside it explain says nothing, and any other does`() {
    let model = LatencyModel(.init(latency: .milliseconds(20), bytesPerSecond: 1e6))
    func explains(_ time: Int, beside others: Int, of done: Int) -> Bool {
      model.explains(10_000, took: .milliseconds(time), beside: others, of: done)
    }
    // Alone it takes 30 ms, all at once with seven others up to 100 ms, and after long ones longer.
    #expect(!explains(30, beside: 0, of: 10_000))
    for time in [30, 60, 100] { #expect(explains(time, beside: 7, of: 10_000)) }
    for time in [10, 29, 150, 1000] { #expect(!explains(time, beside: 7, of: 10_000)) }
    #expect(explains(1000, beside: 7, of: 1_000_000) && !explains(2000, beside: 7, of: 1_000_000))
  }

  @Test func `all faster than the bytes alone were thought to be is faster in proportion`() {
    var model = LatencyModel(SourceDescription.Cost(latency: .milliseconds(20), bytesPerSecond: 1e6))
    for _ in 0..<50 { model.add(1 << 20, took: .milliseconds(2)) }
    #expect(isNear(model.gap, 20_000, within: 1e-6))
    #expect(isNear(model.expected(1 << 20), 0.002, within: 0.01))
  }

  @Test func `a source that becomes slower or faster for good is followed`() {
    var model = LatencyModel(Self.far)
    let costs = [
      SourceDescription.Cost(latency: .microseconds(50), bytesPerSecond: 2e9),
      SourceDescription.Cost(latency: .milliseconds(200), bytesPerSecond: 1e6),
      Self.far,
    ]
    for cost in costs {
      for number in 0..<300 {
        let byteCount = 1 + number * 7919 % (1 << 20)
        model.add(byteCount, took: time(byteCount, cost))
      }
      let gap = cost.latency / .seconds(1) * cost.rate
      #expect(isNear(model.gap, gap, within: 0.01), "\(cost): \(model)")
    }
  }

  @Test(arguments: testSeeds) func `whatever it is told, neither part is negative`(seed: UInt64) {
    var random = TestRandom(seed)
    var model = LatencyModel(SourceDescription.Cost(latency: .milliseconds(random.below(3)), bytesPerSecond: 1e6))
    for _ in 0..<300 {
      model.add(random.below(1 << random.below(24)), took: .nanoseconds(random.below(1 << random.below(40))))
      #expect(model.latency >= 0 && model.secondsPerByte >= 0 && model.gap >= 0, "seed \(seed)")
      #expect(model.latency.isFinite && model.secondsPerByte.isFinite, "seed \(seed)")
    }
  }
}
