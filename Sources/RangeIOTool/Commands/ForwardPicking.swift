#if Tool
import RangeIO

/// Picks what is selected out of bytes that come once and in their order. A value.
struct ForwardPicking {
  /// Those that are not complete, the first one first. Open ones end at the largest number.
  private var wanted: [(range: ByteRange, isOpen: Bool)] = []
  /// The next byte.
  private(set) var position = 0

  init(_ selections: [Selection]) throws(ToolFailure) {
    for selection in selections {
      let (range, isOpen) =
        switch selection {
        case .whole: (0..<Int.max, true)
        case .from(let offset): (offset..<Int.max, true)
        case .span(let offset, let count): (offset..<offset + count, false)
        case .suffix:
          throw .usage("standard input is no file here, so its last bytes are not known: pipe it to tail -c")
        }
      guard range.lowerBound >= wanted.last?.range.upperBound ?? 0 else {
        throw .usage("standard input is no file here, so it is read once: give the ranges in their order")
      }
      wanted.append((range, isOpen))
    }
  }

  /// `true` if no more bytes are needed.
  var isDone: Bool { wanted.allSatisfy { $0.range.upperBound <= position } }

  /// The selected parts of the next bytes.
  mutating func take(_ piece: Bytes) -> [SourcePart] {
    let end = position + piece.count
    var parts: [SourcePart] = []
    while let range = wanted.first?.range, range.lowerBound < end {
      let part = max(range.lowerBound, position)..<min(range.upperBound, end)
      if !part.isEmpty {
        parts.append(.bytes(piece.slice(part.lowerBound - position..<part.upperBound - position), at: part.lowerBound))
      }
      guard range.upperBound <= end else { break }
      wanted.removeFirst()
    }
    position = end
    return parts
  }

  /// Throws if the bytes have ended before what is selected.
  func end() throws(ToolFailure) {
    guard let missing = wanted.first(where: { ($0.isOpen ? $0.range.lowerBound : $0.range.upperBound) > position })
    else { return }
    let range = missing.isOpen ? "\(missing.range.lowerBound)..." : "\(missing.range)"
    throw ToolFailure(
      "standard input: it has \(Figures.count(position, "byte")), and \(range) was to be read: choose bytes that it has",
      status: .rangeNotSatisfiable)
  }
}
#endif
