#if Serve
  internal import HTTPTypes
  internal import RangeIO
  internal import RangeIORemote
  internal import Synchronization

  extension Responder {
    /// When an answer began, if there is a log to tell it.
    var logTime: ContinuousClock.Instant? { configuration.accessLog == nil ? nil : .now }

    /// Adds an answer to the log.
    ///
    /// - Parameter began: see ``logTime``.
    func log(
      _ head: HTTPRequest, _ status: HTTPResponse.Status, bodyBytes: Int, isComplete: Bool = true,
      since began: ContinuousClock.Instant?, of client: ConnectedClient
    ) {
      guard let log = configuration.accessLog, let began else { return }
      let user = authenticator.isNeeded ? authenticator.knownUser(head) : nil
      log.add(
        AccessRecord(
          client: client.address, user: user, secondsSince1970: dates.now.secondsSince1970,
          method: head.method.rawValue, target: head.path ?? "", version: client.isOnStream ? "HTTP/2.0" : "HTTP/1.1",
          status: status.code, bodyBytes: bodyBytes, isComplete: isComplete, duration: began.duration(to: .now),
          referrer: head.headerFields[.referer], userAgent: head.headerFields[.userAgent]))
    }

    /// Counts what was no request, and was answered with 400 before anything of it was known. Adds it to the log.
    func refusedUnread(_ client: ConnectedClient) {
      counters.answered(HTTPResponse.Status.badRequest.code)
      configuration.accessLog?.add(
        AccessRecord(
          client: client.address, user: nil, secondsSince1970: dates.now.secondsSince1970, method: "-", target: "-",
          version: "-", status: HTTPResponse.Status.badRequest.code, bodyBytes: 0, isComplete: true, duration: .zero,
          referrer: nil, userAgent: nil))
    }
  }

  /// The bytes of bodies that a connection was handed.
  final class ByteTally: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ more: Int) { count.add(more, ordering: .relaxed) }
  }
#endif
