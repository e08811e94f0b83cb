import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTiers

/// How often blocks came, as the sketch remembers it.
struct SpillSketchTests {
  @Test func `an estimate is never too low before something is halved`() {
    var sketch = SpillSketch()
    // Less than the 48 additions after which a line is halved.
    for key in UInt64(0)..<20 { for _ in 0..<(key % 5) { sketch.add(key, among: 1000) } }
    #expect((UInt64(0)..<20).allSatisfy { sketch.estimate($0) >= Int($0 % 5) })
  }

  @Test func `an estimate is seldom too high`() {
    var sketch = SpillSketch()
    for key in UInt64(0)..<1000 { for _ in 0..<(key % 5) { sketch.add(key, among: 1000) } }
    let tooHigh = (UInt64(0)..<1000).count { sketch.estimate($0) > Int($0 % 5) }
    #expect(tooHigh < 100, "\(tooHigh) of 1,000")
    #expect((UInt64(5000)..<6000).count { sketch.estimate($0) > 0 } < 300)
  }

  @Test func `an estimate ends at sixteen`() {
    var sketch = SpillSketch()
    for _ in 0..<40 { sketch.add(7, among: 100) }
    #expect(sketch.estimate(7) == SpillSketch.maxCount + 1)
    #expect(sketch.estimate(8) <= SpillSketch.maxCount + 1)
  }

  @Test func `what came often and comes no more is forgotten`() {
    var sketch = SpillSketch()
    for _ in 0..<16 { sketch.add(7, among: 256) }
    let before = sketch.estimate(7)
    // Twelve additions for each block halve everything once.
    for key in UInt64(0)..<(256 * 12 * 4) { sketch.add(1000 + key % 64, among: 256) }
    #expect(before == 16 && sketch.estimate(7) <= 2)
  }

  @Test func `what was counted is found after it has grown`() {
    var sketch = SpillSketch()
    for key in UInt64(0)..<15 { for _ in 0..<3 { sketch.add(key, among: 64) } }
    let before = sketch.byteCount
    sketch.add(1 << 40, among: 5000)
    #expect(sketch.byteCount > before)
    #expect((UInt64(0)..<15).allSatisfy { sketch.estimate($0) >= 3 })
  }

  @Test func `it takes eight bytes for each block, and no more than a quarter more`() {
    var sketch = SpillSketch()
    for count in stride(from: 64, to: 100_000, by: 64) { sketch.add(UInt64(count), among: count) }
    #expect(sketch.byteCount <= 100_000 * 8 * 5 / 4 + 64)
  }
}
