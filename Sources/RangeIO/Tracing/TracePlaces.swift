/// Where the bytes of each source stand in the one address space of a trace.
///
/// Each version of a source has a place of its own, since its bytes are others than those of another version. The first
/// begins at zero, each further one at a multiple of 1 TiB, and one that is larger takes several. A source that grows
/// stays where it is until it is larger than its place.
struct TracePlaces {
  private struct Known {
    var source: SourceDescription
    var place: ByteRange
  }

  /// The sources by their ids.
  private var known: [SourceID: [Known]] = [:]
  private(set) var count = 0
  private var end = 0

  /// Places begin at multiples of 2^40 bytes.
  static let shift = 40
  /// The most versions of sources that a trace tells apart. Each takes some hundred bytes of memory.
  static let maxCount = 4096

  /// Where the bytes of `source` begin; `nil` if there is no place left.
  mutating func place(of source: SourceDescription) -> Int? {
    let id = SourceID(source.id)
    for (index, entry) in known[id, default: []].enumerated() {
      let isOfThis = entry.source === source || entry.source.change(to: source) != .other
      guard isOfThis, source.byteCount <= entry.place.count else { continue }
      known[id]?[index].source = source
      return entry.place.lowerBound
    }
    guard count < Self.maxCount, let size = Self.size(source.byteCount), size <= Int.max - end else { return nil }
    let place = end..<end + size
    known[id, default: []].append(Known(source: source, place: place))
    count += 1
    end = place.upperBound
    return place.lowerBound
  }

  /// `byteCount` rounded up to whole places, at least one; `nil` if that is too large for an `Int`.
  private static func size(_ byteCount: Int) -> Int? {
    let places = max(1, (byteCount - 1) >> shift + 1)
    return places <= Int.max >> shift ? places << shift : nil
  }
}
