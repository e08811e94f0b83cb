// Joining parts.

extension [ReadExplanation.Part] {
  /// Joins neighbours that are equal in everything but their ranges.
  func joined() -> [ReadExplanation.Part] {
    var joined: [ReadExplanation.Part] = []
    for part in self where !part.range.isEmpty {
      if let last = joined.last, last.range.upperBound == part.range.lowerBound, last.origin == part.origin,
        last.detail == part.detail, last.reasons == part.reasons
      {
        joined[joined.count - 1].range = last.range.lowerBound..<part.range.upperBound
      } else {
        joined.append(part)
      }
    }
    return joined
  }

  /// The parts of `range`: `held` is at `origin`. `missing` explains the rest.
  static func parts(
    of range: ByteRange, held: [ByteRange], _ origin: ReadExplanation.Origin, detail: String? = nil,
    missing: (ByteRange) -> [ReadExplanation.Part]
  ) -> [ReadExplanation.Part] {
    let held = ByteRanges.normalize(held.compactMap { ByteRanges.intersection($0, range) })
    let found = held.map { ReadExplanation.Part($0, origin, detail: detail) }
    let rest = ByteRanges.gaps(in: range, covered: held).flatMap(missing)
    return (found + rest).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Replaces what is not held nearer by the parts that `below` returns for it, with the reasons so far added.
  func lookingFurther(_ below: (ByteRange) -> [ReadExplanation.Part]) -> [ReadExplanation.Part] {
    flatMap { part in
      guard part.origin == .source else { return [part] }
      return below(part.range).map { $0.adding(part.reasons) }
    }
  }
}

extension String {
  /// Why a store has nothing of a block.
  static let notKept = "not kept (never read through it, or too seldom, evicted or removed)"
}

extension ReadExplanation.Part {
  /// Bytes that `origin` does not hold, and why.
  static func missing(_ range: ByteRange, _ origin: ReadExplanation.Origin, _ why: String) -> ReadExplanation.Part {
    ReadExplanation.Part(range, .source, reasons: [.init(origin, why)])
  }

  /// This part, with `reasons` before its own.
  func adding(_ reasons: [ReadExplanation.Reason]) -> ReadExplanation.Part {
    guard !reasons.isEmpty else { return self }
    var part = self
    part.reasons = reasons + part.reasons.filter { !reasons.contains($0) }
    return part
  }
}
