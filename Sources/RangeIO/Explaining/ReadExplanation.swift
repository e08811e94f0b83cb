/// Where the bytes of a range would come from if you read it now, and why not from somewhere nearer. Use it to find out
/// why a read was no cache hit.
///
/// ```swift
/// print(try await reader.explain(0..<65_536))
/// // 0..<4096      4096 B  memory
/// // 4096..<65536 61440 B  source  not memory: its block is kept without these bytes; not flight: no read of it is
/// //                               under way
/// ```
public struct ReadExplanation: Hashable, Sendable {
  /// Why bytes do not come from a nearer place.
  package struct Reason: Hashable, Sendable {
    package var origin: Origin
    package var why: String

    init(_ origin: Origin, _ why: String) {
      self.origin = origin
      self.why = why
    }
  }

  /// Bytes that come from one place.
  public struct Part: Hashable, Sendable {
    /// The range, counted from the start of the source as the caller sees it.
    public var range: Range<Int>
    /// Where the bytes come from.
    public var origin: Origin
    package var detail: String?
    /// Why not from nearer places, the nearest first.
    package var reasons: [Reason]

    /// Everything in words: the details, and why the bytes do not come from nearer places.
    public var notes: [String] { (detail.map { [$0] } ?? []) + reasons.map { "not \($0.origin): \($0.why)" } }

    package init(_ range: Range<Int>, _ origin: Origin, detail: String? = nil, reasons: [Reason] = []) {
      self.range = range
      self.origin = origin
      self.detail = detail
      self.reasons = reasons
    }
  }

  /// In order and without gaps. Neighbours that differ in nothing are joined.
  public let parts: [Part]

  /// Creates an explanation from parts that are in order and without gaps.
  init(_ parts: [Part]) { self.parts = parts.joined() }

  /// The bytes that come from `origin`.
  package func byteCount(from origin: Origin) -> Int {
    parts.reduce(0) { $1.origin == origin ? ByteRanges.sum($0, ByteRanges.count($1.range)) : $0 }
  }
}

extension ReadExplanation: CustomStringConvertible {
  /// One line for each part, for people.
  public var description: String {
    let rows = parts.map { ["\($0.range)", "\(ByteRanges.count($0.range)) B", "\($0.origin)"] }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = zip(parts, rows).map { part, row in
      let gap = { String(repeating: " ", count: $0) }
      var line = row[0] + gap(widths[0] - row[0].count) + gap(2 + widths[1] - row[1].count) + row[1] + "  " + row[2]
      let notes = part.notes
      if !notes.isEmpty { line += gap(widths[2] - row[2].count) + "  " + notes.joined(separator: "; ") }
      return line
    }
    return lines.joined(separator: "\n")
  }
}

extension ReadExplanation {
  /// Where bytes come from. A store of your own has the name of its type.
  public struct Origin: Hashable, Sendable {
    private let name: String

    init(_ name: String) { self.name = name }

    /// A cache's memory, uncompressed.
    public static let memory = Origin("memory")
    /// The tiers below memory. RangeIOTiers makes them public, as `compressed` and `disk`.
    package static let compressedTier = Origin("compressed")
    package static let diskTier = Origin("disk")
    /// A cache as a whole. Used in reasons: why it is not asked.
    static let cache = Origin("cache")
    /// A read of the source that is already in flight.
    public static let flight = Origin("flight")
    /// The source itself.
    public static let source = Origin("source")
    /// Cannot be known: a stage shows other bytes than those below it.
    public static let unknown = Origin("unknown")

    /// From the nearest to the farthest. Origins with other names lie between memory and flights.
    var distance: Int {
      switch self {
      case .memory: 0
      case .compressedTier: 1
      case .diskTier: 3
      case .flight: 4
      case .source: 5
      case .unknown: 6
      default: 2
      }
    }
  }
}

extension ReadExplanation.Origin: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

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
  package static func parts(
    of range: ByteRange, held: [ByteRange], _ origin: ReadExplanation.Origin, detail: String? = nil,
    missing: (ByteRange) -> [ReadExplanation.Part]
  ) -> [ReadExplanation.Part] {
    let held = ByteRanges.normalize(held.compactMap { ByteRanges.intersection($0, range) })
    let found = held.map { ReadExplanation.Part($0, origin, detail: detail) }
    let rest = ByteRanges.gaps(in: range, covered: held).flatMap(missing)
    return (found + rest).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Replaces what is not held nearer by the parts that `below` returns for it, with the reasons so far added.
  package func lookingFurther(_ below: (ByteRange) -> [ReadExplanation.Part]) -> [ReadExplanation.Part] {
    flatMap { part in
      guard part.origin == .source else { return [part] }
      return below(part.range).map { $0.adding(part.reasons) }
    }
  }
}

extension String {
  /// Why a store has nothing of a block.
  package static let notKept = "not kept (never read through it, or too seldom, evicted or removed)"
}

extension ReadExplanation.Part {
  /// Bytes that `origin` does not hold, and why.
  package static func missing(_ range: ByteRange, _ origin: ReadExplanation.Origin, _ why: String)
    -> ReadExplanation.Part
  {
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
