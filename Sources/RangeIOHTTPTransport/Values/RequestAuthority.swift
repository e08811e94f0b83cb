/// Who signs requests, and knows what a store means by its error answers.
///
/// Asked only for requests that may carry credentials (``RequestPlan/mayCarryCredentials``).
public protocol RequestAuthority: Sendable {
  /// Returns what to send for `plan`: its URL, perhaps another, and its fields with those that credentials need. Called
  /// before every request.
  nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest

  /// Judges an answer with status 301, 307, 308, 400, 401, 403 or 503, and no other.
  ///
  /// - Parameters:
  ///   - body: the first 16 KiB of its body at most; none for HEAD.
  ///   - plan: the request that was answered.
  ///   - sent: what ``prepare(_:)`` made of it, which shows the credentials that were refused.
  func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> Verdict

  /// Does what ``judge(_:body:of:sent:)`` proposed. Called at most once a read for each kind of mend.
  ///
  /// - Throws: if it cannot be done. A ``Failure`` becomes that of the read.
  nonisolated(nonsending) func mend(_ mend: Mend) async throws
}

/// A request as it goes over the wire.
public struct PreparedRequest: Hashable, Sendable {
  /// Where to.
  public var url: ObjectURL
  /// All fields but `Host`.
  public var fields: HeaderFields

  /// A request.
  public init(url: ObjectURL, fields: HeaderFields) {
    self.url = url
    self.fields = fields
  }
}

/// What may be done so that a request that was refused succeeds.
public enum Mend: Hashable, Sendable {
  /// Get other credentials.
  case credentials
  /// Ask the store's servers of another region.
  case region(String)
  /// Sign by the server's clock, which is ahead of ours by this many seconds.
  case clock(offset: Int)

  enum Kind: Hashable, Sendable { case credentials, region, clock }

  var kind: Kind {
    switch self {
    case .credentials: .credentials
    case .region: .region
    case .clock: .clock
    }
  }
}

/// What an authority says of an error answer.
public enum Verdict: Hashable, Sendable {
  /// Nothing: it is judged by its status.
  case none
  /// The read fails.
  case fail(Failure)
  /// This, and the request once more.
  case mend(Mend)
}
