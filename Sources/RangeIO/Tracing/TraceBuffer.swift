/// The reads of a trace that are not written yet, and what becomes of further ones.
///
/// A pure value. It never grows: its two arrays have their full size from the start, one to append to and one that is
/// being written.
struct TraceBuffer {
  /// The caller's next step after a read was noted.
  enum Action: Equatable {
    case nothing
    /// Start writing.
    case write
    /// Find the place of the source, then call ``append(_:of:at:now:)``.
    case findPlace
  }

  /// Reads are kept, or counted as dropped after a failure, or ignored after closing.
  private enum Phase { case recording, failed, closed }

  /// The reads that are kept at most until they are written: 128 KiB.
  static let capacity = 8192
  /// Reads wait no longer than this, if others follow.
  static let maxWait = Duration.seconds(1)

  private(set) var reads = emptyReads()
  private(set) var recorded = 0
  private(set) var dropped = 0
  private var phase = Phase.recording
  private var isWriteStarted = false
  private var lastWrite: ReadClock.Instant?
  /// The sources read last, with their places: found by identity, without a look at their ids.
  private var recent: [(source: SourceDescription, place: Int)] = []
  private var nextRecent = 0
  private static let maxRecent = 8

  /// An array with room for all reads that may wait.
  static func emptyReads() -> [ByteRange] {
    var reads: [ByteRange] = []
    reads.reserveCapacity(capacity)
    return reads
  }

  /// Notes the ranges of a read, if the place of its source is known.
  mutating func append(_ ranges: OneOrMore<ByteRange>, of source: SourceDescription, now: ReadClock.Instant) -> Action {
    guard phase == .recording else { return drop(ranges) }
    guard let known = recent.first(where: { $0.source === source }) else { return .findPlace }
    return append(ranges, at: known.place, now: now)
  }

  /// Notes the ranges of a read of a source that was not among those read last.
  ///
  /// - Parameter place: `nil` if there is none left for the source.
  mutating func append(
    _ ranges: OneOrMore<ByteRange>, of source: SourceDescription, at place: Int?, now: ReadClock.Instant
  ) -> Action {
    guard phase == .recording, let place else { return drop(ranges) }
    if recent.count < Self.maxRecent {
      recent.append((source, place))
    } else {
      recent[nextRecent] = (source, place)
      nextRecent = (nextRecent + 1) % Self.maxRecent
    }
    return append(ranges, at: place, now: now)
  }

  private mutating func append(_ ranges: OneOrMore<ByteRange>, at place: Int, now: ReadClock.Instant) -> Action {
    for range in ranges where !range.isEmpty {
      guard reads.count < Self.capacity else {
        dropped += 1
        continue
      }
      reads.append(place + range.lowerBound..<place + range.upperBound)
      recorded += 1
    }
    // Readers may have different clocks: the distance counts, in either direction.
    let wait = (lastWrite ?? now).duration(to: now)
    if lastWrite == nil { lastWrite = now }
    guard !isWriteStarted,
      reads.count >= Self.capacity / 2 || wait >= Self.maxWait || wait <= .zero - Self.maxWait
    else { return .nothing }
    isWriteStarted = true
    lastWrite = now
    return .write
  }

  private mutating func drop(_ ranges: OneOrMore<ByteRange>) -> Action {
    if phase != .closed { dropped += ranges.count { !$0.isEmpty } }
    return .nothing
  }

  /// Exchanges the reads that wait for the empty array `other`.
  mutating func take(_ other: inout [ByteRange]) {
    swap(&reads, &other)
    isWriteStarted = false
  }

  /// Nothing can be written any more: `lost` reads that were taken, and all that wait, count as dropped.
  mutating func fail(lost: Int) {
    if phase == .recording { phase = .failed }
    recorded -= lost + reads.count
    dropped += lost + reads.count
    reads.removeAll(keepingCapacity: true)
    recent.removeAll()
  }

  /// Reads from now on are not part of the trace.
  mutating func close() {
    if phase == .recording { phase = .closed }
    recent.removeAll()
  }
}
