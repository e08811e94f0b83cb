/// The position of one iteration of a ``ByteStream``, and the windows it has asked for.
///
/// The first window begins on the consumer's thread: what is in memory and small is there when the call returns. All
/// others begin on another thread, and are copied there while the consumer uses the current one. If a window must be waited
/// for, the cursor looks ahead.
///
/// Of a source that measures what reading costs, a window is what a connection brings in four seconds, so that windows which
/// share a slow link arrive one after the other and not all at the end. Until the rate is known they double.
final class StreamCursor {
  /// The smallest window: as much as DispatchIO reads at once, and enough to make the cost of a wake-up small.
  static let minWindowBytes = 1024 * 1024
  /// More windows ahead brought no gain with any source measured.
  private static let maxAhead = 4
  /// The most bytes to ask for ahead, unless one window is larger.
  static let maxBytesAhead = 8 * 1024 * 1024
  /// The first window of a source whose rate is not known yet.
  private static let firstGuess = 64 * 1024

  /// A window that fails is read again in this many parts.
  private static let partsAfterFailure = 16
  /// So many parts may fail, of a source that fails now and then.
  private static let maxFailures = 16

  private struct Window {
    let range: ByteRange
    let answer: Promise<Bytes>
    let task: Task<Void, Never>
  }

  private let core: ReaderCore
  private let asked: AskedRange
  private let caching: ReadRequest.CachePolicy
  private let chunkSize: Int
  private let windowSize: Int
  private let maxWindowsAhead: Int
  private let following: ByteStream.Following?
  /// The version to stream; `nil`: the current one.
  private let version: SourceDescription?

  /// The version, and what is still to be asked for; `nil` before the first piece.
  private var progress: (source: SourceDescription, rest: ByteRange)?
  /// Windows asked for, in order.
  private var windows: [Window] = []
  /// The remainder of the window being delivered.
  private var current = Bytes()
  /// Why the bytes after these cannot be read.
  private var failure: (any Error)?
  /// One window has been delivered: a consumer that takes a second one will want a third.
  private var isUnderWay = false
  /// The number of windows that have begun, and the furthest end of one.
  private var begun = 0
  private var furthest = 0
  private var isEnded = false
  /// When this stream, which follows its source, last asked whether to stop, although there might be more.
  private var lastAsked: ReadClock.Instant?
  /// The stream ends once it has delivered what there is.
  private var isStopped = false

  init(_ stream: ByteStream) {
    core = stream.core
    asked = stream.asked
    caching = stream.caching
    chunkSize = stream.chunkSize
    // Windows are whole chunks, so that only the last chunk of the stream is short.
    let chunks = Swift.max(1, core.streamWindow / chunkSize)
    windowSize = chunks * chunkSize
    following = stream.following
    version = stream.version
    maxWindowsAhead = Swift.min(Self.maxAhead, Swift.max(1, Self.maxBytesAhead / windowSize))
  }

  deinit { leave() }

  func next() async throws -> Bytes? {
    if isEnded { return nil }
    do {
      try Task.checkCancellation()
      if current.isEmpty {
        if let failure { throw failure }
        guard let window = try await nextWindow() else {
          isEnded = true
          return nil
        }
        current = window
      }
      let count = Swift.min(chunkSize, current.count)
      let chunk = current.slice(0..<count)
      current = current.slice(count..<current.count)
      return chunk
    } catch {
      isEnded = true
      leave()
      throw error
    }
  }

  private func nextWindow() async throws -> Bytes? {
    if progress == nil {
      do {
        if let version {
          let range = try asked.resolved(in: version)
          try ReaderCore.check(range, of: version)
          progress = (version, range)
        } else {
          let (source, range) = try await core.pin(isToTheEnd: isToTheEnd) { try self.range(in: $0) }
          progress = (source, range)
        }
      } catch {
        throw core.failed(error)
      }
    }
    if windows.isEmpty { _ = startWindow() }
    if windows.isEmpty, try await waitForMore() { _ = startWindow() }
    guard let head = windows.first else { return nil }
    if !head.answer.isAnswered { lookAhead() }
    // Stays in the list during the wait, so that an error cancels it together with the others.
    let bytes: Bytes
    do {
      bytes = try await head.answer.value()
      windows.removeFirst()
    } catch let error as ReadError where isWorthReading(head.range, after: error) {
      bytes = try await readBeginning(of: head.range, after: error)
    }
    if isUnderWay, windows.isEmpty, failure == nil { _ = startWindow() }
    isUnderWay = true
    return bytes
  }

  /// True if the beginning of a window that failed is read. Not of a source that would begin from its start again, nor of a chunk
  /// that is longer than all windows ahead.
  private func isWorthReading(_ window: ByteRange, after error: ReadError) -> Bool {
    error.mayConcernAPart && (2...Self.maxBytesAhead).contains(window.count)
      && progress?.source.isReadForward == false
  }

  /// Reads a window that could not be read as a whole, up to the first byte that cannot be read. The error follows.
  ///
  /// Of a part that fails, parts are read in turn; then what is left of the window, if they could be read now. A read that
  /// fails may take long, and few do: of a mebibyte 5, of 80 reads at most, and never more than 16. Where a retry may help,
  /// stages have retried: one more failure is enough.
  private func readBeginning(of window: ByteRange, after first: ReadError) async throws -> Bytes {
    cancelWindows()
    if let rest = progress?.rest { progress?.rest = window.upperBound..<rest.upperBound }
    var unread = window
    var parts: [Bytes] = []
    var failures = 0
    do {
      while !unread.isEmpty {
        let count = (unread.count + Self.partsAfterFailure - 1) / Self.partsAfterFailure
        do {
          while !unread.isEmpty {
            parts.append(try await read(part: unread.prefix(count)))
            unread = unread.dropFirst(count)
          }
          unread = unread.upperBound..<window.upperBound
        } catch let error as ReadError where error.mayConcernAPart && count > 1 && !error.isTransient {
          windows = []
          unread = unread.prefix(count)
          failures += 1
          if failures == Self.maxFailures { throw error }
        }
      }
    } catch let error where !parts.isEmpty && !(error is CancellationError) && (error as? ReadError)?.code != .closed {
      failure = error
      cancelWindows()
    }
    return Bytes(concatenating: parts)
  }

  /// Reads a part of a window that failed: from a cache, if that has all of it, else past it, since it would ask for blocks around
  /// the part, of which one fails.
  private func read(part: ByteRange) async throws -> Bytes {
    for caching in caching == .normal ? [.onlyIfCached, .bypass] : [caching] {
      start(part, caching: caching, until: part.upperBound)
      do {
        let bytes = try await windows[0].answer.value()
        windows = []
        return bytes
      } catch let error as ReadError where error.code == .notCached && caching != self.caching {
        windows = []
      }
    }
    throw ReadError.closed
  }

  /// Waits until there is more to stream, if this follows its source. Returns whether there is.
  private func waitForMore() async throws -> Bool {
    guard let following, let (source, rest) = progress, !isStopped else { return false }
    // `more` asks where there is nothing new, which need not happen while a file is written all the time.
    if let isOver = following.isOver, isTimeToAsk() { isStopped = try await isOver() }
    var longer: SourceDescription?
    if isStopped {
      longer = try await core.version(of: source, beyond: rest.upperBound)
    } else {
      (longer, isStopped) = try await core.more(of: source, from: rest.upperBound, isOver: following.isOver)
    }
    guard let longer else { return false }
    progress = (longer, rest.upperBound..<longer.byteCount)
    return true
  }

  /// True if the reader's poll interval has passed since the first call, or the last one that returned `true`.
  private func isTimeToAsk() -> Bool {
    let now = core.time.now
    let isTime = lastAsked.map { now >= $0.advanced(by: core.pollInterval) } ?? false
    if isTime || lastAsked == nil { lastAsked = now }
    return isTime
  }

  private var isToTheEnd: Bool { asked.dependsOnSize && following == nil }

  /// The range to stream from `source` as it is now.
  private func range(in source: SourceDescription) throws(ReadError) -> ByteRange {
    guard following != nil, case .from(let start) = asked else { return try asked.resolved(in: source) }
    guard start >= 0 else {
      throw .rangeNotSatisfiable("\(start)...", byteCount: source.byteCount, source: source.name)
    }
    // Starts empty, so that the bytes already there also go through `waitForMore`.
    return start..<start
  }

  /// Starts further windows, until enough are in flight.
  private func lookAhead() {
    // What comes only in its order is asked for in its order.
    if let progress, progress.source.isReadForward { return }
    let ahead = Swift.min(maxWindowsAhead, core.streamedSource?.windowsAhead ?? maxWindowsAhead)
    while windows.count <= ahead, startWindow() {}
  }

  /// Starts the next window. Returns `false` when all have been started.
  private func startWindow() -> Bool {
    guard let (source, rest) = progress, !rest.isEmpty else { return false }
    let range = rest.lowerBound..<rest.lowerBound + Swift.min(windowSize(of: source), rest.count)
    progress = (source, range.upperBound..<rest.upperBound)
    // A stream that follows its source does not end. One of the whole source ends where that does: it need not be told, but
    // where requests cost a round trip no time is lost to find out that it goes on.
    let isTold = rest.upperBound < source.byteCount || isUnderWay && source.measuredCost != nil
    let end = following == nil && isTold ? rest.upperBound : nil
    start(range, caching: caching, until: end)
    return true
  }

  /// - Parameter end: where the reads of this stream end, for stages that read ahead.
  private func start(_ range: ByteRange, caching: ReadRequest.CachePolicy, until end: Int?) {
    guard let source = progress?.source else { return }
    let answer = Promise<Bytes>()
    let work: @Sendable () async -> Void = { [core] in
      do {
        answer.resolve(.success(try await core.readWindow(range, of: source, caching: caching, until: end)))
      } catch {
        answer.fail(error)
      }
    }
    let task = begun > 0 ? core.background.startElsewhere(nil, work) : core.background.start(nil, work)
    begun += 1
    furthest = Swift.max(furthest, range.upperBound)
    windows.append(Window(range: range, answer: answer, task: task))
  }

  /// The bytes of the next window: whole chunks.
  private func windowSize(of source: SourceDescription) -> Int {
    guard let measured = source.measuredCost else { return windowSize }
    let wished =
      measured.isGuess
      ? Self.firstGuess << Swift.min(begun, 8) : Int(Swift.min(measured.cost.rate * 4, 1e12))
    return Swift.max(1, Swift.min(wished, windowSize) / chunkSize) * chunkSize
  }

  /// The consumer takes no more: gives up what was asked for ahead.
  private func leave() {
    // A window that has not begun when it is cancelled is not seen below; one that was given up after an error was.
    let first = windows.first?.range.lowerBound
    cancelWindows()
    guard let progress, begun > 0 else { return }
    core.leaveSequence(at: Swift.min(first ?? progress.rest.lowerBound, furthest)...furthest, of: progress.source)
    self.progress = nil
  }

  private func cancelWindows() {
    for window in windows { window.task.cancel() }
    windows = []
  }
}
