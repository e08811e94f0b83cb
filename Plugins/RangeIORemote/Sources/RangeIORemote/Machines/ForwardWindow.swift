internal import RangeIO

/// The bytes at hand of a body that is read forward once, for reads that come nearly in its order.
///
/// Holds what its slowest reader lacks, and a little of what has gone by for those that come late. The body is let run
/// only while a reader wants more than is here. Push to one copy of it only: all share the memory of the last piece.
struct ForwardWindow {
  /// The most bytes already read that stay.
  static let maxBehind = 4 << 20
  /// The most bytes by which a read may begin after all that is wanted so far, and that wait for the slowest reader.
  static let maxAhead = 8 << 20
  /// Pieces that are smaller are put together, so that a body of tiny pieces has few.
  private static let minPieceSize = 16_384
  private static let room = 65_536

  private struct Reader {
    var next: Int
    let end: Int
  }
  private struct Piece {
    let start: Int
    var bytes: Bytes
    var end: Int { start + bytes.count }
  }
  /// In order, without gaps. Those before `first` have been dropped.
  private var pieces: [Piece] = []
  private var first = 0
  /// The memory of the last piece, if more may be added to it. What readers have of it already is not written again.
  private var open: WritableBytes?
  private var readers: [Int: Reader] = [:]
  private var last = 0
  /// The first byte that is here.
  private(set) var low = 0
  /// The first byte that has not come.
  private(set) var position = 0
  /// The first byte that no read has had. What has come beyond it is for the next one.
  private var passed = 0
  /// Where reads may begin, however far that is.
  private let start: Int
  /// How much of what was read stays.
  private var keptBehind: Int

  /// - Parameters:
  ///   - start: where reads may begin, however far that is.
  ///   - behind: how much of what was read stays.
  init(reaching start: Int, keeping behind: Int = ForwardWindow.maxBehind) {
    self.start = start
    keptBehind = behind
  }

  /// The number of bytes that are here.
  var count: Int { position - low }

  /// No read is under way.
  var isIdle: Bool { readers.isEmpty }

  /// The body may run on.
  var wantsMore: Bool {
    let slowest = readers.values.lazy.map(\.next).min() ?? position
    return readers.values.contains { $0.end > position } && position - slowest < Self.maxAhead
  }

  /// True if a read that begins at `start` can be served. It must not be so far ahead that the body would run on for
  /// nothing.
  func reaches(_ start: Int) -> Bool {
    let wanted = readers.values.lazy.map(\.end).max() ?? 0
    return start >= low && start <= max(position, wanted, self.start).addingWithoutOverflow(Self.maxAhead)
  }

  /// A read begins, which the window reaches. Returns its number.
  mutating func begin(_ range: Range<Int>) -> Int {
    last += 1
    readers[last] = Reader(next: range.lowerBound, end: range.upperBound)
    return last
  }

  mutating func end(_ number: Int) {
    if let reader = readers.removeValue(forKey: number) { passed = max(passed, reader.next) }
    trim()
  }

  /// The next bytes of a read, if they are here.
  ///
  /// - Complexity: O(log pieces)
  mutating func take(_ number: Int) -> Bytes? {
    guard let reader = readers[number], reader.next >= low, reader.next < min(position, reader.end) else { return nil }
    var (lower, upper) = (first, pieces.count)
    while upper - lower > 1 {
      let middle = (lower + upper) / 2
      if pieces[middle].start <= reader.next { lower = middle } else { upper = middle }
    }
    let piece = pieces[lower]
    let end = min(piece.end, reader.end)
    readers[number]?.next = end
    passed = max(passed, end)
    return piece.bytes.slice(reader.next - piece.start..<end - piece.start)
  }

  /// The next bytes of the body.
  mutating func push(_ bytes: Bytes) {
    guard bytes.count > 0 else { return }
    add(bytes)
    position += bytes.count
    trim()
  }

  private mutating func add(_ bytes: Bytes) {
    let held = pieces.last?.bytes.count ?? 0
    if let open, pieces.count > first, held + bytes.count <= open.capacity {
      bytes.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: open.memory[held..<held + bytes.count]))
      pieces[pieces.count - 1].bytes = open.bytes(held + bytes.count)
      return
    }
    open = nil
    guard bytes.count < Self.minPieceSize else {
      pieces.append(Piece(start: position, bytes: bytes))
      return
    }
    let memory = WritableBytes(inline: Self.room)
    bytes.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: memory.memory[..<bytes.count]))
    pieces.append(Piece(start: position, bytes: memory.bytes(bytes.count)))
    open = memory
  }

  /// Keeps nothing any more of what was read.
  mutating func keepNothingBehind() {
    keptBehind = 0
    trim()
  }

  /// No more bytes come: the memory of the last piece is of its size.
  mutating func compact() {
    open = nil
    guard let last = pieces.last else { return }
    pieces[pieces.count - 1].bytes = last.bytes.compacted()
  }

  /// Drops the bytes that were passed on.
  mutating func forget() { (pieces, first, open, low) = ([], 0, nil, position) }

  private mutating func trim() {
    let slowest = readers.values.lazy.map(\.next).min() ?? passed
    let keep = min(slowest, position - keptBehind)
    while first < pieces.count, pieces[first].end <= keep {
      low = pieces[first].end
      pieces[first].bytes = Bytes()
      first += 1
    }
    // So that each piece is moved about once.
    guard first > 32, first > pieces.count / 2 else { return }
    pieces.removeFirst(first)
    first = 0
  }
}

extension Int {
  fileprivate func addingWithoutOverflow(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
