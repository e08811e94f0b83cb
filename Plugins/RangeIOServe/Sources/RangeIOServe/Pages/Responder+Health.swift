#if Serve
  internal import HTTPTypes
  internal import NIOCore
  internal import Synchronization

  extension Responder {
    /// The answer to a supervisor: `/-/healthz` while the process answers, `/-/readyz` until it is told to stop.
    ///
    /// Supervisors name the host as they know it, or not at all, and have no password. They learn nothing else, and are answered
    /// when others are not any more: a server that has too much to do must not be taken for one that is dead.
    func health(_ head: HTTPRequest) -> Answer? {
      guard let path = head.path, path.utf8.starts(with: "/-/".utf8), [.get, .head, .options].contains(head.method)
      else { return nil }
      switch path.prefix(while: { $0 != "?" }) {
      case "/-/healthz": return .text(.ok, "ok\n", type: "text/plain; charset=utf-8", [.cacheControl: "no-store"])
      case "/-/readyz" where stopping.isSet:
        return .line(.serviceUnavailable, [.cacheControl: "no-store"], advice: "the server stops")
      case "/-/readyz": return .text(.ok, "ready\n", type: "text/plain; charset=utf-8", [.cacheControl: "no-store"])
      default: return nil
      }
    }
  }

  /// Set once the server is told to stop.
  final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set(_ isSet: Bool) { flag.store(isSet, ordering: .relaxed) }
  }
#endif
