import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct RecentTouchesTests {
  @Test(arguments: testSeeds) func `what was touched lately is remembered, and little else`(seed: UInt64) {
    let touches = RecentTouches()
    var random = TestRandom(seed)
    let hashes = (0..<500).map { _ in random.next() }
    let early = hashes.count { touches.touch($0) }
    #expect(early <= 3, "few are taken for others")
    #expect(hashes.allSatisfy { touches.remembers($0) }, "seed \(seed)")
    #expect(hashes.allSatisfy { touches.touch($0) })
    let strangers = (0..<10_000).count { _ in touches.remembers(random.next()) }
    #expect(strangers < 20)
  }

  @Test func `blocks that share a place and are read in turn are remembered, up to four`() {
    for count in 1...6 {
      let touches = RecentTouches()
      let hashes = (0..<count).map { UInt64($0 * 2 + 3) << 48 | 77 }
      for hash in hashes { #expect(!touches.touch(hash)) }
      let again = hashes.count { touches.touch($0) }
      #expect(again == (count <= 4 ? count : 0))
    }
  }

  @Test func `it forgets`() {
    let touches = RecentTouches()
    var random = TestRandom(1)
    let first = random.next()
    #expect(!touches.touch(first))
    for _ in 0..<1_000_000 { _ = touches.touch(random.next()) }
    #expect(!touches.remembers(first))
  }

  @Test func `the highest and the lowest fingerprints are told apart`() {
    let touches = RecentTouches()
    for fingerprint in [UInt64(0), 2, 0x7FFE, 0x8000, 0xFFFE] {
      #expect(!touches.remembers(fingerprint << 48), "\(fingerprint)")
      #expect(!touches.touch(fingerprint << 48), "\(fingerprint)")
      #expect(touches.remembers(fingerprint << 48), "\(fingerprint)")
    }
  }
}
