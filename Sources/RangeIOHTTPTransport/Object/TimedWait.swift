#if HTTP
  internal import RangeIO

  /// A wait for credentials that ends when its time is over.
  final class TimedWait: Watched {
    private let answer: any Failable
    private let deadline: Int64

    init(_ answer: any Failable, until deadline: Int64) {
      self.answer = answer
      self.deadline = deadline
    }

    func check(at now: Int64) {
      guard now > deadline else { return }
      answer.fail(Failure.late("look at the credentials' provider"))
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
