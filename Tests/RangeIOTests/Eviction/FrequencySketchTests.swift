import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct FrequencySketchTests {
  @Test(arguments: testSeeds)
  func `an estimate is never too low, and seldom too high`(seed: UInt64) {
    var random = TestRandom(seed)
    var sketch = FrequencySketch()
    sketch.fit(1000)
    var counts: [UInt32: Int] = [:]
    // Fewer additions than lead to halving, and half as many keys as there is room for.
    for _ in 0..<3000 {
      let key = UInt32(random.below(500)) &* 0x9E37_79B9
      sketch.add(key)
      counts[key, default: 0] += 1
    }
    #expect(counts.allSatisfy { sketch.frequency(of: $0.key) >= min(15, $0.value) }, "seed \(seed)")
    let exact = counts.filter { sketch.frequency(of: $0.key) == min(15, $0.value) }.count
    #expect(exact > counts.count * 8 / 10, "seed \(seed): \(exact) of \(counts.count)")
  }

  @Test func `a key that was never counted has zero, and counts end at fifteen`() {
    var sketch = FrequencySketch()
    #expect(sketch.frequency(of: 7) == 0)
    sketch.add(7)
    #expect(sketch.frequency(of: 7) == 0, "there is no room yet")
    sketch.fit(100)
    for count in 1...20 {
      sketch.add(7)
      #expect(sketch.frequency(of: 7) == min(15, count))
    }
  }

  @Test func `after ten times as many additions as chunks all counts are halved, once each time`() {
    var sketch = FrequencySketch()
    sketch.fit(64)
    for _ in 0..<12 { sketch.add(7) }
    // The rest goes to keys of their own: some share a line with the key, none all of its counters.
    func fill(_ count: Int, from first: UInt32) {
      for number in 0..<UInt32(count) { sketch.add(0x5000_0000 &+ (first &+ number % 3) &* 0x0101_0101) }
    }
    fill(640 - 12 - 1, from: 1)
    let before = sketch.frequency(of: 7)
    #expect(before == 12)
    fill(1, from: 1)
    #expect(sketch.frequency(of: 7) == 6)
    fill(640, from: 1)
    #expect(sketch.frequency(of: 7) == 3)
    sketch.add(7)
    #expect(sketch.frequency(of: 7) == 4)
  }

  @Test func `it takes eight bytes for each chunk, and a size that changes a little changes nothing`() {
    var sketch = FrequencySketch()
    sketch.fit(10_000)
    #expect(sketch.byteCount == 80_000)
    sketch.add(7)
    sketch.fit(12_000)
    sketch.fit(3000)
    #expect(sketch.frequency(of: 7) == 1)
    #expect(sketch.byteCount == 80_000)
    sketch.fit(13_000)
    #expect(sketch.frequency(of: 7) == 0)
    #expect(sketch.byteCount == 104_000)
    sketch.fit(3000)
    #expect(sketch.byteCount == 24_000)
  }
}
