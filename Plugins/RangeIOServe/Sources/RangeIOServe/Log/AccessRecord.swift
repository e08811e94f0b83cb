internal import RangeIO
internal import RangeIORemote

/// One answer, as an access log tells it.
///
/// Of the target and the referrer only what grants nothing is told, as in errors: queries and parameters can be secrets. All text is
/// escaped, so that no request makes lines of its own.
package struct AccessRecord: Sendable {
  package var client: String
  /// Who has given a password that is right.
  package var user: String?
  package var secondsSince1970: Int
  package var method: String
  package var target: String
  /// `HTTP/1.1` or `HTTP/2.0`; one of HTTP/1.0 is answered, and told, as one of HTTP/1.1.
  package var version: String
  package var status: Int
  /// Those of the body that were handed to the connection.
  package var bodyBytes: Int
  /// `false` if the answer was cut off.
  package var isComplete: Bool
  /// From the head of the request until the connection has the last of the answer.
  package var duration: Duration
  package var referrer: String?
  package var userAgent: String?

  package init(
    client: String, user: String?, secondsSince1970: Int, method: String, target: String, version: String, status: Int,
    bodyBytes: Int, isComplete: Bool, duration: Duration, referrer: String?, userAgent: String?
  ) {
    (self.client, self.user, self.secondsSince1970, self.method) = (client, user, secondsSince1970, method)
    (self.target, self.version, self.status, self.bodyBytes) = (ShownName.target(target), version, status, bodyBytes)
    (self.isComplete, self.duration, self.userAgent) = (isComplete, duration, userAgent)
    self.referrer = referrer.map(Self.shown)
  }

  /// A referrer is a URL, or the path of one, which is not one of this machine.
  private static func shown(_ referrer: String) -> String {
    let isPath = referrer.utf8.first.map { "/.~?".utf8.contains($0) } ?? false
    return isPath && !referrer.utf8.starts(with: "//".utf8) ? ShownName.target(referrer) : ShownName.typed(referrer)
  }

  /// The most bytes of a text that comes from the client.
  private static let maxText = 2048

  /// The combined format of Apache and nginx, and the seconds that the answer took.
  package var combined: String {
    // `Sun, 06 Nov 1994 08:49:37 GMT`
    let words = HTTPDate(secondsSince1970: secondsSince1970).text.split(separator: " ")
    let time = "\(words[1])/\(words[2])/\(words[3]):\(words[4]) +0000"
    let request = "\(method) \(target) \(version)"
    return "\(Self.word(client)) - \(Self.word(user)) [\(time)] \"\(Self.quoted(request))\" \(status) \(bodyBytes) "
      + "\"\(Self.quoted(referrer ?? "-"))\" \"\(Self.quoted(userAgent ?? "-"))\" \(seconds)\n"
  }

  /// An object of JSON in a line.
  package var json: String {
    var fields = [
      ("time", Self.json(ListedText.time(secondsSince1970: secondsSince1970))), ("client", Self.json(client)),
      ("method", Self.json(method)), ("target", Self.json(target)), ("version", Self.json(version)),
      ("status", "\(status)"), ("bytes", "\(bodyBytes)"), ("seconds", seconds),
    ]
    if let user { fields.append(("user", Self.json(user))) }
    if let referrer { fields.append(("referrer", Self.json(referrer))) }
    if let userAgent { fields.append(("userAgent", Self.json(userAgent))) }
    if !isComplete { fields.append(("cut", "true")) }
    return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}\n"
  }

  /// To the millisecond.
  private var seconds: String {
    let milliseconds = Int(duration / .milliseconds(1))
    let rest = "\(milliseconds % 1000)"
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// Text between quotes, as nginx has it: what ends it, and what is not printed, in hexadecimal digits.
  private static func quoted(_ text: String) -> String {
    escaped(text) { byte in byte == UInt8(ascii: " ") || isPlain(byte) }
  }

  /// Text that ends at a space.
  private static func word(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return "-" }
    return escaped(text, isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (33...126).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func escaped(_ text: String, _ isPlain: (UInt8) -> Bool) -> String {
    var escaped = ""
    for byte in text.utf8.prefix(maxText) {
      if isPlain(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return escaped
  }

  private static func json(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars.prefix(maxText) {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
