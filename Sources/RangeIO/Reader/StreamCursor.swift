/// Where an iteration of a ``ByteStream`` stands, and the windows it has asked for.
///
/// Windows complete within the call that starts them when the source has them in memory. When one did not, the cursor looks
/// ahead. When all do, it has one more copied by another thread from the second window on, while the consumer
/// uses this one.
package final class StreamCursor {
  /// The smallest window: what DispatchIO reads at once, and enough to make a wake-up cheap.
  package static let smallestWindow = 1024 * 1024
  /// More than this many windows ahead gained nothing, with any source measured.
  static let mostAhead = 4
  /// The bytes that may be asked for ahead, unless one window is larger.
  static let mostBytesAhead = 8 * 1024 * 1024

  private struct Window {
    let answer: Promise<Bytes>
    let task: Task<Void, Never>
  }

  private let core: ReaderCore
  private let asked: AskedRange
  private let caching: CachePolicy
  private let chunkSize: Int
  private let windowSize: Int
  private let windowsAhead: Int
  private let following: ByteStream.Following?

  /// The version and what is left to ask for; nil before the first piece.
  private var progress: (source: SourceDescription, rest: ByteRange)?
  /// Asked for, in order.
  private var windows: [Window] = []
  /// What is left of the window that is being handed out.
  private var current = Bytes()
  /// Whether a window has been handed out: a consumer that takes a second one will want the third.
  private var isUnderWay = false
  private var isEnded = false

  init(_ stream: ByteStream) {
    core = stream.core
    asked = stream.asked
    caching = stream.caching
    chunkSize = stream.chunkSize
    // Whole chunks, so that only the last one is short.
    let chunks = Swift.max(1, core.streamWindow / chunkSize)
    windowSize = chunks * chunkSize
    following = stream.following
    windowsAhead = Swift.min(Self.mostAhead, Swift.max(1, Self.mostBytesAhead / windowSize))
  }

  deinit { cancelWindows() }

  func next() async throws -> Bytes? {
    if isEnded { return nil }
    do {
      try Task.checkCancellation()
      if current.isEmpty {
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
      cancelWindows()
      throw error
    }
  }

  private func nextWindow() async throws -> Bytes? {
    if progress == nil {
      let (source, range) = try await core.pin(isToTheEnd: isToTheEnd) { try self.range(in: $0) }
      progress = (source, range)
    }
    if windows.isEmpty { _ = startWindow() }
    if windows.isEmpty, try await waitForMore() { _ = startWindow() }
    guard let head = windows.first else { return nil }
    if !head.answer.isAnswered { lookAhead() }
    // Kept in the list while it is waited for: what goes wrong cancels it with the others.
    let bytes = try await head.answer.value()
    windows.removeFirst()
    if isUnderWay, windows.isEmpty { _ = startWindow(elsewhere: true) }
    isUnderWay = true
    return bytes
  }

  /// Waits until there is more to stream, if this follows its source.
  ///
  /// - Returns: whether there is.
  private func waitForMore() async throws -> Bool {
    guard let following, let (source, rest) = progress else { return false }
    guard let longer = try await core.more(of: source, from: rest.upperBound, isOver: following.isOver) else {
      return false
    }
    progress = (longer, rest.upperBound..<longer.byteCount)
    return true
  }

  private var isToTheEnd: Bool { asked.dependsOnSize && following == nil }

  /// What to stream of `source`, as it is now.
  private func range(in source: SourceDescription) throws(ReadError) -> ByteRange {
    guard following != nil, case .from(let start) = asked else { return try asked.resolved(in: source) }
    guard start >= 0 else {
      throw .rangeNotSatisfiable("\(start)...", byteCount: source.byteCount, source: source.name)
    }
    // What is there already is the first that is waited for.
    return start..<start
  }

  /// Asks for further windows, until one is there at once or enough are on the way.
  private func lookAhead() {
    while windows.count <= windowsAhead, startWindow() {
      if windows[windows.count - 1].answer.isAnswered { return }
    }
  }

  /// Asks for the next window, on this thread if it is in memory, or else on another.
  ///
  /// - Returns: false when all have been asked for.
  private func startWindow(elsewhere: Bool = false) -> Bool {
    guard let (source, rest) = progress, !rest.isEmpty else { return false }
    let range = rest.lowerBound..<rest.lowerBound + Swift.min(windowSize, rest.count)
    progress = (source, range.upperBound..<rest.upperBound)
    let answer = Promise<Bytes>()
    let work: @Sendable () async -> Void = { [core, caching] in
      do {
        answer.resolve(.success(try await core.readWindow(range, of: source, caching: caching)))
      } catch {
        answer.fail(error)
      }
    }
    let task = elsewhere ? core.background.startElsewhere(nil, work) : core.background.start(nil, work)
    windows.append(Window(answer: answer, task: task))
    return true
  }

  private func cancelWindows() {
    for window in windows { window.task.cancel() }
    windows = []
  }
}
