#if HTTP
  internal import RangeIO

  /// A wait that ends when its time is over.
  final class TimedWait: Watched {
    private let answer: any Failable
    private let deadline: Int64
    private let failure: Failure

    init(_ answer: any Failable, until deadline: Int64, orThrow failure: Failure) {
      self.answer = answer
      self.deadline = deadline
      self.failure = failure
    }

    func check(at now: Int64) {
      guard now > deadline else { return }
      answer.fail(failure)
    }

    func stop() { answer.fail(ReadError.closed) }
  }

  extension Failure {
    /// The time of a read is over before it sent anything.
    static func late(_ advice: String) -> Failure {
      Failure(.deadline, "the time is over before a request was sent: \(advice)")
    }
  }
#endif
