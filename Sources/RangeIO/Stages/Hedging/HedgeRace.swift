/// A read and its second try, as a value. Decides which try answers and which one is cancelled.
struct HedgeRace<Response> {
  enum Try: Hashable {
    case first, second
  }

  enum Action {
    case nothing
    /// The answer, and the try to cancel because it is no longer needed.
    case answer(Result<Response, any Error>, cancel: Try?)
  }

  private var underWay: Set<Try> = [.first]
  private var firstError: (any Error)?
  private var isOver = false

  /// Called when the first try is late. Returns whether to begin the second try.
  mutating func secondBegins() -> Bool {
    guard !isOver, underWay == [.first] else { return false }
    underWay.insert(.second)
    return true
  }

  /// Records the end of a try. The first success is the answer; if both tries fail, the first error is.
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

  /// The read stopped waiting.
  mutating func left() { isOver = true }
}
