/// A read and its second try, as a value: who answers, and who is told to stop.
struct HedgeRace<Response> {
  /// One of the two.
  enum Try: Hashable {
    case first, second
  }

  /// What follows an event.
  enum Action {
    case nothing
    /// The answer; and the try that is to be cancelled, since it is not needed any more.
    case answer(Result<Response, any Error>, cancel: Try?)
  }

  private var underWay: Set<Try> = [.first]
  private var firstError: (any Error)?
  private var isOver = false

  /// The first try is late, and a second one is wished for.
  ///
  /// - Returns: whether it begins.
  mutating func secondBegins() -> Bool {
    guard !isOver, underWay == [.first] else { return false }
    underWay.insert(.second)
    return true
  }

  /// A try has ended. The first that succeeds answers; if both fail, the error that came first.
  mutating func ended(_ which: Try, _ result: Result<Response, any Error>) -> Action {
    underWay.remove(which)
    guard !isOver else { return .nothing }
    if case .failure(let error) = result {
      guard underWay.isEmpty else {
        firstError = error
        return .nothing
      }
      isOver = true
      return .answer(.failure(firstError ?? error), cancel: nil)
    }
    isOver = true
    return .answer(result, cancel: underWay.first)
  }

  /// The read that waited has gone.
  mutating func left() { isOver = true }
}
