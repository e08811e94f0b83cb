import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A version that says how it differs from others.
private struct Numbered: SourceDescription.Validator {
  let number: Int

  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    guard let newer = newer as? Numbered else { return .other }
    return newer.number == number ? .same : newer.number == -number ? .extends : .other
  }
}

@Suite struct TracePlacesTests {
  private func source(_ id: String, _ version: Int = 1, _ byteCount: Int = 100) -> SourceDescription {
    SourceDescription(id: id, validator: Numbered(number: version), byteCount: byteCount)
  }
  private let place = 1 << 40

  @Test func `each version of a source has its place, and keeps it`() {
    var places = TracePlaces()
    #expect(places.place(of: source("a")) == 0)
    #expect(places.place(of: source("b")) == place)
    #expect(places.place(of: source("a", 2)) == 2 * place)
    #expect(places.place(of: source("a")) == 0)
    #expect(places.place(of: source("a", 2)) == 2 * place)
    // é in two ways: two names.
    #expect(places.place(of: source("\u{E9}")) == 3 * place)
    #expect(places.place(of: source("e\u{301}")) == 4 * place)
    #expect(places.count == 5)
  }

  @Test func `a source that grows stays until it is larger than its place`() {
    var places = TracePlaces()
    #expect(places.place(of: source("log", 1, 100)) == 0)
    #expect(places.place(of: source("log", -1, place)) == 0)
    #expect(places.place(of: source("log", -1, place + 1)) == place)
    // That one takes two places.
    #expect(places.place(of: source("next")) == 3 * place)
  }

  @Test func `sources of hostile sizes, and too many of them, have no place`() {
    var places = TracePlaces()
    #expect(places.place(of: source("empty", 1, 0)) == 0)
    #expect(places.place(of: source("huge", 1, .max)) == nil)
    let half = Int.max / 2
    #expect(places.place(of: source("half", 1, half)) == place)
    #expect(places.place(of: source("other half", 1, half)) == nil)
    #expect(places.place(of: source("small")) == place + (half + 1))
    var many = TracePlaces()
    for number in 0..<TracePlaces.maxCount { #expect(many.place(of: source("\(number)")) == number * place) }
    #expect(many.place(of: source("one more")) == nil)
    #expect(many.place(of: source("7")) == 7 * place)
  }
}
