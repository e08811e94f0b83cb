import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct SourceDescriptionTests {
  private struct Revision: SourceDescription.Validator, Equatable {
    var number: Int
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      guard let newer = newer as? Revision else { return .other }
      return newer == self ? .same : newer.number == number + 1 ? .extends : .other
    }
  }

  private func description(_ revision: Int?, _ byteCount: Int = 10, id: String = "a") -> SourceDescription {
    SourceDescription(id: id, validator: revision.map { Revision(number: $0) }, byteCount: byteCount)
  }

  @Test func `the rate of a cost is a count of bytes, whatever was measured`() {
    var cost = SourceDescription.Cost(latency: .zero, bytesPerSecond: .mebibytes(2))
    #expect(cost.rate == 2_097_152 && cost.bytesPerSecond == .mebibytes(2))
    for (rate, bytes) in [(.infinity, .max), (1e30, .max), (-.infinity, 0), (-5, 0), (.nan, 0), (0.6, 1)]
      as [(Double, Int)]
    {
      cost.rate = rate
      #expect(cost.bytesPerSecond == .bytes(bytes), "\(rate)")
    }
  }

  @Test func `a description states the cost that it was made with, whatever was measured`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
      let latency = Duration.seconds(Double.random(in: 1e-6...10, using: &random))
      var cost = SourceDescription.Cost(latency: latency, bytesPerSecond: Double.random(in: 1...1e12, using: &random))
      var traits = SourceDescription.Traits()
      traits.cost = cost
      #expect(SourceDescription(id: "a", validator: nil, byteCount: 1, traits: traits).traits.cost == cost)
      cost.latency = latency / 3
      traits.cost = cost
      #expect(SourceDescription(id: "a", validator: nil, byteCount: 1, traits: traits).traits.cost == cost)
    }
  }

  @Test func `a description prints its name and size`() {
    #expect("\(SourceDescription(id: "1:2", name: "/data/x", validator: nil, byteCount: 10))" == "/data/x, 10 bytes")
  }

  @Test func `change asks the validators where both have one`() {
    #expect(description(1, 10).change(to: description(1, 99)) == .same)
    #expect(description(1).change(to: description(2)) == .extends)
    #expect(description(1).change(to: description(3)) == .other)
    #expect(description(2).change(to: description(1)) == .other)
  }

  @Test func `change compares sizes where a validator is missing`() {
    #expect(description(nil, 10).change(to: description(nil, 10)) == .same)
    #expect(description(nil, 10).change(to: description(nil, 11)) == .other)
    #expect(description(1, 10).change(to: description(nil, 11)) == .other)
  }

  @Test func `another id is another source`() {
    #expect(description(1).change(to: description(1, id: "b")) == .other)
    #expect(description(nil).change(to: description(nil, id: "b")) == .other)
  }

  @Test func `a derived description keeps what the transformation does not change`() {
    let base = SourceDescription(
      id: "a", validator: Revision(number: 1), byteCount: 10, preferredBlockSize: .kibibytes(4),
      traits: .with {
        $0.cost = SourceDescription.Cost(latency: .seconds(1), bytesPerSecond: 5)
        ($0.mayGrow, $0.isSettled, $0.context) = (true, false, Owner())
        ($0.answersCancellation, $0.reportsChanges, $0.isBorrowed) = (true, true, true)
      })
    let derived = base.deriving("xor:1", byteCount: 7)
    #expect(derived.id == "a|xor:1")
    #expect(derived.byteCount == 7)
    #expect(derived.validator as? Revision == Revision(number: 1))
    #expect(derived.preferredBlockSize == .kibibytes(4))
    #expect(derived.cost == base.cost)
    #expect(derived.mayGrow)
    #expect(derived.traits.answersCancellation && derived.traits.reportsChanges && derived.traits.isBorrowed)
    #expect(!derived.isSettled)
    #expect(derived.context == nil, "the source's own mark belongs to the source's own description")
    #expect(derived.base === base)
    #expect(base.base == nil)
  }

  private final class Owner: Sendable {}
}
