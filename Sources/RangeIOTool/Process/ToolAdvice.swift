#if Tool
/// The library's advice to programs, in the words of this tool.
enum ToolAdvice {
  /// Phrases of messages, and the tool's words for them.
  private static let options = [
    ("set acceptsEncoded", "add --accept-encoded"), ("set judgesByTime", "add --trust-times"),
    ("add its authority to additionalTrustRoots", "name the file of its authority with --cacert"),
    ("needs userProject", "needs --header 'x-goog-user-project: PROJECT'"),
    ("name the project that pays as userProject", "name the project that pays with --header 'x-goog-user-project: …'"),
    ("login, or ask for anonymous access", "login, or add --no-sign"),
    ("needs requesterPays", "needs --header 'x-amz-request-payer: requester'"),
    ("pass credentials instead of anonymous access", "leave out --no-sign"),
    ("read this: pass credentials", "read this: add --header 'Authorization: …'"),
    ("name a profile, or ask for anonymous access", "name a profile with --profile, or add --no-sign"),
    ("pass credentials, or ask for anonymous access", "or add --no-sign"),
    ("its time limit: raise it", "its time limit: raise it with --time-limit"),
    ("this read is over: try again, or allow more of it", "this read is over: raise it with --time-limit"),
    (", or open what is there with isReadOnly", ""),
    (", or lower `freeSpaceFloor` or `segmentSize`", ""),
    (", which is a URL: read it with RangeReader(contentsOf:) of RangeIOHTTP or RangeIOS3", ""),
    (", which is a URL: read it with RangeReader(azure:) of RangeIOAzure", ""),
    (", which is a URL: read it with RangeReader(gcs:) of RangeIOGCS", ""),
  ]

  /// `message` with advice that can be followed on a command line.
  static func translated(_ message: String) -> String {
    options.reduce(message) { $0.replacing($1.0, with: $1.1) }
  }
}
#endif
