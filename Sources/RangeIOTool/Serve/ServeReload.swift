#if Serve
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
      Interrupts.shared.onHangup { [actions] in
        for (what, action) in actions {
          do { try action() } catch {
            let reason = (error as? ReadError)?.message ?? "\(error)"
            StandardError.line("rangeio: \(reason). The \(what) stays as it was")
          }
        }
      }
    }
  }
#endif
