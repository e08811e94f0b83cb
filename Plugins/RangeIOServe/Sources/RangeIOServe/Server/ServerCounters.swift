#if Serve
  internal import Synchronization

  /// Counts answers by status, answers that were cut off, and the bytes of bodies.
  final class ServerCounters: Sendable {
    private let succeeded = Atomic<Int>(0)
    private let redirected = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let cut = Atomic<Int>(0)

    /// An answer with this status has begun.
    func answered(_ status: Int) {
      switch status {
      case 200..<300: succeeded.add(1, ordering: .relaxed)
      case 300..<400: redirected.add(1, ordering: .relaxed)
      case 400..<500: refused.add(1, ordering: .relaxed)
      default: failed.add(1, ordering: .relaxed)
      }
    }

    /// Bytes of a body were handed to the connection.
    func sent(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// An answer was cut off after its head: the source failed, or the client left.
    func wasCut() { cut.add(1, ordering: .relaxed) }

    /// The numbers now, as JSON and metrics name them.
    struct Snapshot: Encodable, Sendable {
      var answers2xx, answers3xx, answers4xx, answers5xx, answersCut, bodyBytes: Int
    }

    var snapshot: Snapshot {
      Snapshot(
        answers2xx: succeeded.load(ordering: .relaxed), answers3xx: redirected.load(ordering: .relaxed),
        answers4xx: refused.load(ordering: .relaxed), answers5xx: failed.load(ordering: .relaxed),
        answersCut: cut.load(ordering: .relaxed), bodyBytes: bytes.load(ordering: .relaxed))
    }
  }
#endif
