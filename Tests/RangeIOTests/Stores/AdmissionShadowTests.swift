import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a store would hold if it kept everything that is read twice, event by event.
struct AdmissionShadowTests {
  private let room = AdmissionShadow.Room(bytes: 300, touches: 4)

  @Test func `the second read admits, and the third is a hit`() {
    var shadow = AdmissionShadow()
    #expect(shadow.read(1, weight: 100, room: room).keeping == .first)
    #expect(shadow.read(1, weight: 100, room: room).keeping == .admitted)
    #expect(shadow.read(1, weight: 100, room: room).keeping == .hit)
    #expect(shadow.heldBytes == 100 && shadow.touchCount == 0)
  }

  @Test func `what was read longest ago leaves, and is known when it comes back`() {
    var shadow = AdmissionShadow()
    for key in 1...3 as ClosedRange<UInt64> { for _ in 0..<2 { _ = shadow.read(key, weight: 100, room: room) } }
    #expect(shadow.read(1, weight: 100, room: room).keeping == .hit)
    for _ in 0..<2 { _ = shadow.read(4, weight: 100, room: room) }
    #expect(shadow.heldBytes == 300 && shadow.touchCount == 1)
    #expect(shadow.read(1, weight: 100, room: room).keeping == .hit)
    #expect(shadow.read(2, weight: 100, room: room).keeping == .admitted)
  }

  @Test func `what was touched longest ago is forgotten`() {
    var shadow = AdmissionShadow()
    for key in 1...5 as ClosedRange<UInt64> { #expect(shadow.read(key, weight: 100, room: room).keeping == .first) }
    #expect(shadow.touchCount == 4)
    #expect(shadow.read(1, weight: 100, room: room).keeping == .first)
    #expect(shadow.read(5, weight: 100, room: room).keeping == .admitted)
  }

  @Test func `a larger read of the same block counts, and one that never fits is let go`() {
    var shadow = AdmissionShadow()
    for weight in [10, 10, 250] { _ = shadow.read(1, weight: weight, room: room) }
    #expect(shadow.heldBytes == 250)
    #expect(shadow.read(1, weight: 10, room: room).keeping == .hit)
    #expect(shadow.heldBytes == 250)
    #expect(shadow.read(1, weight: 400, room: room).keeping == .hit)
    #expect(shadow.heldBytes == 0 && shadow.touchCount == 1)
  }

  @Test func `if reads pass, one in sixty-four is kept once the room is full, and what is there goes on to be found`() {
    var shadow = AdmissionShadow()
    let room = AdmissionShadow.Room(bytes: 300, touches: 1000)
    var bypassing: [AdmissionShadow.Outcome] = []
    for key in 1...100 as ClosedRange<UInt64> {
      for _ in 0..<2 { bypassing.append(shadow.read(key, weight: 100, room: room).bypassing) }
    }
    // The second read of each of the first three, while there is room; then the 64th that is refused.
    let admitted = bypassing.indices.filter { bypassing[$0] == .admitted }
    #expect(admitted == [1, 3, 5, 2 * (3 + AdmissionGain.bypassShare) - 1])
    #expect(!bypassing.contains(.hit) && shadow.bypassing.bytes == 300)
    #expect(shadow.read(2, weight: 100, room: room) == .init(keeping: .admitted, bypassing: .hit))
    // The one that was read longest ago has left for the last.
    #expect(shadow.read(1, weight: 100, room: room).bypassing == .first)
  }

  @Test func `less room lets go of more`() {
    var shadow = AdmissionShadow()
    for key in 1...3 as ClosedRange<UInt64> { for _ in 0..<2 { _ = shadow.read(key, weight: 100, room: room) } }
    _ = shadow.read(3, weight: 100, room: .init(bytes: 0, touches: 0))
    #expect(shadow.heldBytes == 0)
    #expect(shadow.read(9, weight: 100, room: .init(bytes: 0, touches: 0)).keeping == .first)
    #expect(shadow.touchCount == 0)
  }

  /// The same by a list that is searched.
  @Test(arguments: testSeeds) func `it does what a plain list does`(seed: UInt64) {
    var random = TestRandom(seed)
    var shadow = AdmissionShadow()
    var held: [(key: UInt64, weight: Int)] = []
    var touched: [UInt64] = []
    for step in 0..<2000 {
      let key = UInt64(random.below(1 + random.below(30)))
      let weight = 1 + random.below(100)
      let room = AdmissionShadow.Room(bytes: step % 500 < 400 ? 400 : 100, touches: step % 700 < 600 ? 8 : 3)
      let expected: AdmissionShadow.Outcome
      let before = held.first { $0.key == key }
      if before != nil || touched.contains(key) {
        expected = before == nil ? .admitted : .hit
        held.removeAll { $0.key == key }
        touched.removeAll { $0 == key }
        held.append((key, max(weight, before?.weight ?? 0)))
        while held.reduce(0, { $0 + $1.weight }) > room.bytes { touched.append(held.removeFirst().key) }
      } else {
        expected = .first
        touched.append(key)
        while touched.count > room.touches { touched.removeFirst() }
      }
      #expect(shadow.read(key, weight: weight, room: room).keeping == expected, "seed \(seed), step \(step)")
      #expect(shadow.heldBytes == held.reduce(0) { $0 + $1.weight })
      #expect(shadow.touchCount == touched.count)
    }
  }
}
