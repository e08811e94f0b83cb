#if HTTP
  internal import RangeIO

  /// A wait that ends when its time is over.
  final class TimedWait: Watched {
    /// What is waited for, as advice.
    enum Reason: String {
      case credentials = "look at the credentials' provider"
      case turn = "other reads of this server came first; permit more connections, or more time"
    }
    private let answer: any Failable
    private let deadline: Int64
    private let reason: Reason

    init(_ answer: any Failable, until deadline: Int64, _ reason: Reason) {
      self.answer = answer
      self.deadline = deadline
      self.reason = reason
    }

    func check(at now: Int64) {
      guard now > deadline else { return }
      answer.fail(
        Failure(.deadline, "the time for the whole read is over before a request was sent: \(reason.rawValue)"))
    }

    func stop() { answer.fail(ReadError.closed) }
  }
#endif
