/// Where the bytes of a range would come from if you read it now, and why not from somewhere nearer. Use it to find out
/// why a read was no cache hit.
///
/// ```swift
/// print(try reader.explain(0..<65_536))
/// // 0..<4096      4096 B  memory
/// // 4096..<65536 61440 B  source  not memory: its block is kept without these bytes; not flight: no read of it is
/// //                               under way
/// ```
public struct ReadExplanation: Hashable, Sendable {
  /// Why bytes do not come from a nearer place.
  package struct Reason: Hashable, Sendable {
    /// The place that they do not come from.
    package var origin: Origin
    /// The reason, in words.
    package var why: String

    /// Creates a reason.
    package init(_ origin: Origin, _ why: String) {
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
    /// Details in words, or `nil`.
    package var detail: String?
    /// Why not from nearer places, the nearest first.
    package var reasons: [Reason]

    /// Everything in words: the details, and why the bytes do not come from nearer places.
    public var notes: [String] { (detail.map { [$0] } ?? []) + reasons.map { "not \($0.origin): \($0.why)" } }

    /// Creates a part.
    package init(_ range: Range<Int>, _ origin: Origin, detail: String? = nil) {
      self.init(range, origin, detail: detail, reasons: [])
    }

    package init(_ range: Range<Int>, _ origin: Origin, detail: String? = nil, reasons: [Reason]) {
      self.range = range
      self.origin = origin
      self.detail = detail
      self.reasons = reasons
    }
  }

  /// In order and without gaps. Neighbours that differ in nothing are joined.
  public let parts: [Part]

  /// Creates an explanation from parts that are in order and without gaps.
  package init(_ parts: [Part]) { self.parts = parts.joined() }

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
