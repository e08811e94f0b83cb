#if Tool && HTTP
import RangeIO
import RangeIORemote

/// The command of `--renew`, which prints a new URL.
enum RenewCommand {
  /// Runs it by the shell, and returns the URL.
  ///
  /// - Throws: `ReadError` if it fails, takes more than a minute, or prints anything but one line.
  static func url(_ command: String) async throws -> String {
    let name = "the command of --renew"
    let run = CredentialPlaces.Command(command, name: name, tellsErrors: true)
    return try url(in: try await CredentialPlaces.process().run(run), of: name)
  }

  /// The one line of `output`, which is not shown: it may be a secret.
  static func url(in output: [UInt8], of name: String) throws -> String {
    let lines = output.split { $0 == 10 || $0 == 13 }.map { String(decoding: $0, as: UTF8.self) }
      .filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.count == 1, let url = lines.first else {
      throw ReadError(
        .invalidConfiguration,
        "\(name) prints \(lines.isEmpty ? "nothing" : "\(lines.count) lines"): it must print one URL, and nothing else"
      )
    }
    return url
  }
}
#endif
