internal import RangeIO

/// The bytes that come with a description, and which reads wait for some of them: they go on coming after it is made.
///
/// A read whose first byte is among them joins, and waits for its own bytes only. They stay until a read has had them all, and
/// after the last has come for a few reads more: later ones are elsewhere, or a cache above keeps what they want. No read that
/// has joined loses them to another one. All bytes of an object without ranges stay.
///
/// Events in, waiters to resume out. A value. Push to one copy of it only.
struct OpeningWindow<Waiter> {
  /// The reads for which the bytes are kept, once all have come.
  static var maxReads: Int { 8 }

  enum Step {
    /// No more come for this read.
    case take([Bytes])
    /// The waiter is resumed when it should ask again.
    case wait
  }

  private struct Read {
    let part: Range<Int>
    var waiter: Waiter?
  }

  private var bytes = ForwardWindow(reaching: 0, keeping: .max)
  /// The place of the first byte in ``bytes``.
  private var start = 0
  /// The bytes that come; once no more come, those that have. Empty before the head.
  private(set) var range = 0..<0
  /// The first byte that has not come.
  private var end = 0
  private(set) var hasBegun = false
  /// The body has not ended.
  private(set) var isComing = false
  /// No other read may join.
  private(set) var isOver = true
  private var stays = false
  private var reads = 0
  private var joined: [Int: Read] = [:]
  private var last = 0

  /// No read needs the bytes.
  var isDone: Bool { isOver && joined.isEmpty }

  /// Some bytes are still to come.
  var isArriving: Bool { isComing && end < range.upperBound }

  // MARK: the body

  /// A body begins. What came of an answer that is asked for again counts no more.
  mutating func restart() { bytes.forget() }

  /// The head has come: what is pushed from now on are these bytes.
  ///
  /// - Parameter stays: whether no range can be requested, and these are all bytes.
  mutating func begin(_ range: Range<Int>, stays: Bool) {
    (self.range, self.stays, start, end) = (range, stays, bytes.position, range.lowerBound)
    (hasBegun, isComing, isOver) = (true, !range.isEmpty, range.isEmpty)
  }

  /// The bytes that were pushed last are these.
  mutating func hold(_ range: Range<Int>, stays: Bool) {
    begin(range, stays: stays)
    (start, end, isComing) = (bytes.position - range.count, range.upperBound, false)
    bytes.compact()
  }

  /// The next bytes have come.
  mutating func push(_ new: Bytes) -> [Waiter] {
    guard isComing || !hasBegun else { return [] }
    bytes.push(new)
    end = min(end + new.count, range.upperBound)
    return resumed(upTo: end)
  }

  /// No more come.
  ///
  /// - Parameter isBelieved: `false`: nor do those that have come count.
  mutating func finish(isBelieved: Bool = true) -> [Waiter] {
    isComing = false
    if !isBelieved { end = range.lowerBound }
    if end < range.upperBound { stays = false }
    range = range.lowerBound..<end
    if range.isEmpty {
      isOver = true
      bytes.forget()
    } else {
      // What is held is charged, so it holds no more memory than that.
      bytes.compact()
    }
    return resumed(upTo: .max)
  }

  /// The waiters of reads that want nothing behind `end`.
  private mutating func resumed(upTo end: Int) -> [Waiter] {
    var waiters: [Waiter] = []
    for (number, read) in joined {
      guard let waiter = read.waiter, read.part.upperBound <= end else { continue }
      waiters.append(waiter)
      joined[number]?.waiter = nil
    }
    return waiters
  }

  // MARK: reads

  /// A read begins. Returns its number if its first byte comes, or is here.
  ///
  /// - Parameter waits: `false` for a read that takes only what is here.
  mutating func begin(_ wanted: Range<Int>, waits: Bool = true) -> Int? {
    guard !isOver else { return nil }
    if !isArriving { reads += 1 }
    if !stays, reads == Self.maxReads { isOver = true }
    let part = wanted.clamped(to: waits ? range : range.lowerBound..<end)
    guard part.lowerBound == wanted.lowerBound, !part.isEmpty else { return nil }
    last += 1
    joined[last] = Read(part: part)
    return last
  }

  /// Where the bytes begin, if a read of `wanted` lacks only those before them.
  func start(within wanted: Range<Int>) -> Int? {
    let isWithin = wanted.lowerBound < range.lowerBound && range.lowerBound < wanted.upperBound
    return !isOver && isWithin && wanted.upperBound <= range.upperBound ? range.lowerBound : nil
  }

  /// What a read does next.
  mutating func next(_ number: Int, _ waiter: @autoclosure () -> Waiter) -> Step {
    guard let part = joined[number]?.part else { return .take([]) }
    guard isComing, end < part.upperBound else { return .take(pieces(of: part.clamped(to: range.lowerBound..<end))) }
    joined[number]?.waiter = waiter()
    return .wait
  }

  private mutating func pieces(of part: Range<Int>) -> [Bytes] {
    guard !part.isEmpty else { return [] }
    let offset = start - range.lowerBound
    let number = bytes.begin(part.lowerBound + offset..<part.upperBound + offset)
    defer { bytes.end(number) }
    var pieces: [Bytes] = []
    while let piece = bytes.take(number) { pieces.append(piece) }
    return pieces
  }

  /// A read has had its first `taken` bytes from here, or was cancelled.
  mutating func end(_ number: Int, taken: Int) {
    joined[number] = nil
    if !stays, taken == range.count { isOver = true }
  }
}
