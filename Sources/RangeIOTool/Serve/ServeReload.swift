#if Tool && Serve
import Dispatch
import RangeIO
import RangeIOServe

extension ServeCommand {
  /// Makes SIGHUP open anew what may have been replaced. A server that has nothing of that ends.
  static func reloadOnHangup(_ configuration: RangeServer.Configuration) {
    var actions: [(what: String, action: @Sendable () throws -> Void)] = []
    if let log = configuration.accessLog { actions.append(("access log", { try log.reopen() })) }
    if let certificate = configuration.certificate {
      actions.append(("certificate", { try certificate.reload() }))
    }
    guard !actions.isEmpty else { return }
    // One after the other, and not on the thread that waits for signals: opening a pipe that nobody reads, or a file on a server
    // that hangs, would keep it from SIGTERM.
    let queue = DispatchQueue(label: "rangeio.serve.reload")
    Interrupts.shared.onHangup { [actions] in
      queue.async {
        for (what, action) in actions {
          do { try action() } catch {
            let reason = (error as? ReadError)?.message ?? "\(error)"
            StandardError.line("rangeio: \(reason). The \(what) stays as it was")
          }
        }
      }
    }
  }
}
#endif
