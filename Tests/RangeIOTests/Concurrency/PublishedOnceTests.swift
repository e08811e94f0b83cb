import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct PublishedOnceTests {
  private final class Thing: Sendable {}

  @Test func `nothing is there before it is published`() {
    let place = PublishedOnce<Thing>()
    #expect(place.value == nil)
  }

  @Test func `the first one published counts`() {
    let place = PublishedOnce<Thing>()
    let (first, second) = (Thing(), Thing())
    #expect(place.publish(first) === first)
    #expect(place.value === first)
    #expect(place.publish(second) === first)
    #expect(place.value === first)
  }

  @Test func `what is published lives as long as the place, and what lost does not`() {
    weak var winner: Thing?
    weak var loser: Thing?
    do {
      let place = PublishedOnce<Thing>()
      do {
        let (first, second) = (Thing(), Thing())
        (winner, loser) = (first, second)
        _ = place.publish(first)
        _ = place.publish(second)
      }
      #expect(winner != nil)
      #expect(loser == nil)
      #expect(place.value === winner)
    }
    #expect(winner == nil)
  }

  @Test func `racing publishers agree on one`() async {
    final class Place: Sendable { let once = PublishedOnce<Thing>() }
    for _ in 0..<300 {
      let place = Place()
      let seen = await withTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<6 { group.addTask { ObjectIdentifier(place.once.publish(Thing())) } }
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(seen == place.once.value.map { [ObjectIdentifier($0)] })
    }
  }
}
