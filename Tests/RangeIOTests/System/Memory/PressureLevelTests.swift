import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct PressureLevelTests {
  private var level = PressureLevel(MemoryPressure.Thresholds())

  @Test mutating func `it begins at normal and tells changes only`() {
    #expect(level.level == .normal)
    #expect(level.note(MemoryReading(used: 0.5)) == nil)
    #expect(level.note(MemoryReading(used: 0.86)) == .warning)
    #expect(level.note(MemoryReading(used: 0.87)) == nil)
    #expect(level.note(MemoryReading(used: 0.96)) == .critical)
    #expect(level.note(MemoryReading(used: 0.97)) == nil)
    #expect(level.note(MemoryReading(used: 0.2)) == .normal)
    #expect(level.level == .normal)
  }

  @Test mutating func `a level lasts until the part is below its lower mark`() {
    #expect(level.note(MemoryReading(used: 0.84)) == nil)
    #expect(level.note(MemoryReading(used: 0.85)) == .warning)
    for used in [0.84, 0.76, 0.86, 0.75] { #expect(level.note(MemoryReading(used: used)) == nil) }
    #expect(level.note(MemoryReading(used: 0.749)) == .normal)
    #expect(level.note(MemoryReading(used: 0.84)) == nil)
  }

  @Test mutating func `critical goes to warning and from there to normal, each at its own mark`() {
    #expect(level.note(MemoryReading(used: 0.99)) == .critical)
    #expect(level.note(MemoryReading(used: 0.91)) == nil)
    #expect(level.note(MemoryReading(used: 0.89)) == .warning)
    #expect(level.note(MemoryReading(used: 0.94)) == nil)
    #expect(level.note(MemoryReading(used: 0.8)) == nil)
    #expect(level.note(MemoryReading(used: 0.7)) == .normal)
  }

  @Test mutating func `critical that ends between the marks of warning stays a warning`() {
    #expect(level.note(MemoryReading(used: 1.2)) == .critical)
    #expect(level.note(MemoryReading(used: 0.8)) == .warning)
  }

  @Test mutating func `waiting of some is a warning and of all is critical`() {
    #expect(level.note(MemoryReading(someStalled: 0.09, allStalled: 0.01)) == nil)
    #expect(level.note(MemoryReading(someStalled: 0.9, allStalled: 0.09)) == .warning)
    #expect(level.note(MemoryReading(someStalled: 0.9, allStalled: 0.1)) == .critical)
    #expect(level.note(MemoryReading(someStalled: 0.06, allStalled: 0.05)) == nil)
    #expect(level.note(MemoryReading(someStalled: 0.06, allStalled: 0.04)) == .warning)
    #expect(level.note(MemoryReading(someStalled: 0.04, allStalled: 0.04)) == .normal)
  }

  @Test mutating func `one measure keeps up a level that another began`() {
    #expect(level.note(MemoryReading(used: 0.9, someStalled: 0)) == .warning)
    #expect(level.note(MemoryReading(used: 0.1, someStalled: 0.07)) == nil)
    #expect(level.note(MemoryReading(used: 0.1, someStalled: 0)) == .normal)
  }

  @Test mutating func `what is not known is no pressure`() {
    #expect(level.note(MemoryReading()) == nil)
    #expect(level.note(MemoryReading(used: 0.99)) == .critical)
    #expect(level.note(MemoryReading()) == .normal)
  }

  @Test func `marks that are equal and at infinity do no harm`() {
    var thresholds = MemoryPressure.Thresholds()
    thresholds.usedForWarning = 0.5...0.5
    thresholds.usedForCritical = .infinity ... .infinity
    thresholds.someStalledForWarning = .infinity ... .infinity
    var level = PressureLevel(thresholds)
    #expect(level.note(MemoryReading(used: 100, someStalled: 1)) == .warning)
    #expect(level.note(MemoryReading(used: 0.6, someStalled: 1)) == nil)
    #expect(level.note(MemoryReading(used: 0.4, someStalled: 1)) == .normal)
  }

  @Test(arguments: testSeeds)
  func `no part that stays between two marks makes it flap`(seed: UInt64) {
    var random = TestRandom(seed)
    var level = PressureLevel(MemoryPressure.Thresholds())
    _ = level.note(MemoryReading(used: [0, 0.86, 1][random.below(3)]))
    var changes = 0
    for _ in 0..<100 where level.note(MemoryReading(used: .random(in: 0.7501..<0.8499, using: &random))) != nil {
      changes += 1
    }
    #expect(changes <= 1, "seed \(seed)")
  }
}
