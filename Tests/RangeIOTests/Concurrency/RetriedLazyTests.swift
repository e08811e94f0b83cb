import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct RetriedLazyTests {
  private final class Thing: Sendable {}

  @Test func `what cannot be made is tried again by the next one who asks, and made once`() throws {
    let made = RetriedLazy<Thing>()
    var tries = 0
    func thing() -> Thing? {
      made.get {
        tries += 1
        return tries < 3 ? nil : Thing()
      }
    }
    #expect(thing() == nil)
    #expect(thing() == nil)
    let first = try #require(thing())
    #expect(thing() === first)
    #expect(tries == 3)
  }
}
