internal import RangeIO

/// What is at hand of a body that is read forward once, for reads that come nearly in its order. A value.
///
/// Holds what its slowest reader lacks, and a little of what has gone by for those that come late. The body is let run
/// only while a reader wants more than is here.
struct ForwardWindow {
  /// How much of what was read stays.
  static let mostBehind = 4 << 20
  /// How far a read may begin after all that is wanted so far, and how much waits for the slowest reader.
  static let mostAhead = 8 << 20

  private struct Reader {
    var next: Int
    let end: Int
  }
  private var chunks: [Bytes] = []
  private var readers: [Int: Reader] = [:]
  private var last = 0
  /// The first byte that is here.
  private(set) var low = 0
  /// The first byte that has not come.
  private(set) var position = 0
  /// How far a body before this one had come when it failed.
  private let start: Int

  /// - Parameter start: where reads may begin, however far that is.
  init(reaching start: Int) { self.start = start }

  /// How many bytes are here.
  var count: Int { position - low }

  /// No read is under way.
  var isIdle: Bool { readers.isEmpty }

  /// Whether the body may run on.
  var wantsMore: Bool {
    let slowest = readers.values.lazy.map(\.next).min() ?? position
    return readers.values.contains { $0.end > position } && position - slowest < Self.mostAhead
  }

  /// Whether a read that begins at `start` can be served. It must not be so far ahead that the body would run on for
  /// nothing.
  func reaches(_ start: Int) -> Bool {
    let wanted = readers.values.lazy.map(\.end).max() ?? 0
    return start >= low && start <= max(position, wanted, self.start) + Self.mostAhead
  }

  /// A read begins, which the window reaches. Returns its number.
  mutating func begin(_ range: Range<Int>) -> Int {
    last += 1
    readers[last] = Reader(next: range.lowerBound, end: range.upperBound)
    return last
  }

  mutating func end(_ number: Int) {
    readers[number] = nil
    trim()
  }

  /// The next bytes of a read, if they are here.
  mutating func take(_ number: Int) -> Bytes? {
    guard let reader = readers[number], reader.next < min(position, reader.end) else { return nil }
    var start = low
    for chunk in chunks {
      let part = (start..<start + chunk.count).clamped(to: reader.next..<reader.end)
      if part.lowerBound == reader.next, !part.isEmpty {
        readers[number]?.next = part.upperBound
        return chunk.slice(part.lowerBound - start..<part.upperBound - start)
      }
      start += chunk.count
    }
    return nil
  }

  /// The next bytes of the body.
  mutating func push(_ bytes: Bytes) {
    chunks.append(bytes)
    position += bytes.count
    trim()
  }

  /// Drops the bytes that were passed on.
  mutating func forget() { (chunks, low) = ([], position) }

  private mutating func trim() {
    let slowest = readers.values.lazy.map(\.next).min() ?? position
    let keep = min(slowest, position - Self.mostBehind)
    var dropped = 0
    while dropped < chunks.count, low + chunks[dropped].count <= keep {
      low += chunks[dropped].count
      dropped += 1
    }
    chunks.removeFirst(dropped)
  }
}
