#if Tool && Serve
import ArgumentParser
import RangeIO
import RangeIOServe

/// Who may read from `rangeio serve`, and how connections are encrypted.
struct ServeAccessOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Someone who may read, with the hash that 'openssl passwd -5' makes, in quotes; may be repeated.",
      valueName: "name:hash"))
  var user: [String] = []
  @Option(
    help: ArgumentHelp("Speak TLS with the certificate in this file, PEM. SIGHUP reads it again.", valueName: "path"))
  var tls: String?
  @Option(help: ArgumentHelp("The key of --tls (default: in the same file).", valueName: "path"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp("Who may connect to the socket of '--listen unix:PATH', as for chmod.", valueName: "octal"))
  var socketMode: String?

  func apply(to configuration: inout RangeServer.Configuration) throws {
    if let socketMode {
      guard case .unixSocket = configuration.address, let mode = UInt16(socketMode, radix: 8), mode <= 0o777 else {
        throw ToolFailure.usage("--socket-mode: write three octal digits, such as 660, with '--listen unix:PATH'")
      }
      configuration.socketMode = mode
    }
    for (index, text) in user.enumerated() {
      // Not shown: it may be a password.
      let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, let name = words.first, !name.isEmpty, let hash = words.last else {
        throw ToolFailure.usage("--user \(index + 1) is no name and hash: write 'NAME:$5$…', in quotes")
      }
      guard configuration.users[String(name)] == nil else {
        throw ToolFailure.usage("--user: \(name) is there twice")
      }
      do { configuration.users[String(name)] = try PasswordHash(String(hash)) } catch {
        throw ToolFailure.usage("--user \(name): \(error.message)")
      }
    }
    guard let tls else {
      guard tlsKey == nil else { throw ToolFailure.usage("--tls-key: name the certificate with --tls too") }
      return
    }
    do {
      configuration.certificate = try ServerCertificate(
        certificatePath: PathArgument.path(tls, for: "--tls"),
        keyPath: tlsKey.map { try PathArgument.path($0, for: "--tls-key") })
    } catch let error as ReadError {
      throw ToolFailure("--tls: \(error.message)")
    }
  }
}
#endif
