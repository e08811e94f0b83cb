public import RangeIO

/// Signs the requests of a ``RemoteObject``, and knows what its store means by error answers.
///
/// ```swift
/// struct TokenAuthority: RequestAuthority {
///   let token: String
///   func prepare(_ plan: RequestPlan) async throws -> PreparedRequest {
///     var request = PreparedRequest(url: plan.url, fields: plan.fields)
///     request.fields.set("X-Token", token)
///     return request
///   }
/// }
/// ```
///
/// It is asked only for requests to the origin of the object, never for those to where a redirect has led.
/// `Examples/OwnRemote` has a small one for the blobs of Azure.
public protocol RequestAuthority: Sendable {
  /// Returns what to send for `plan`: its URL, or another one, and its fields with the fields for credentials. Called
  /// before every request, with the same plan again after a mend.
  nonisolated(nonsending) func prepare(_ plan: RequestPlan) async throws -> PreparedRequest

  /// Judges an answer with status 301, 307, 308, 400, 401, 403, 409, 410 or 503, and with 404 when the object is described; no
  /// other. By default ``RefusalVerdict/none``.
  ///
  /// - Parameters:
  ///   - head: the status and the fields of the answer.
  ///   - body: the first 16 KiB of its body at most; none for HEAD.
  ///   - plan: the request that was answered.
  ///   - sent: what ``prepare(_:)`` made of it, which shows the credentials that were refused.
  func judge(_ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest) -> RefusalVerdict

  /// Does what ``judge(_:body:of:sent:)`` proposed. Called at most once a read for each kind of remedy; for credentials again
  /// after 16 KiB of progress. By default does nothing.
  ///
  /// - Throws: if it cannot be done. The read then throws this error.
  nonisolated(nonsending) func mend(_ remedy: Remedy) async throws

  /// The field of an answer that names its version, such as `x-amz-version-id`: reads then pin that version
  /// (``RequestPlan/versionID``). By default `nil`: none does.
  var versionField: String? { get }

  /// The field of an answer that names the coding with which the store keeps the object, such as
  /// `x-goog-stored-content-encoding`: an answer with another `Content-Encoding` then fails, since what stands between
  /// has encoded or decoded the bytes. By default `nil`: none does.
  var codingField: String? { get }
}

extension RequestAuthority {
  /// Returns ``RefusalVerdict/none``.
  public func judge(
    _ head: ResponseHead, body: [UInt8], of plan: RequestPlan, sent: PreparedRequest
  ) -> RefusalVerdict { .none }

  /// Does nothing.
  public nonisolated(nonsending) func mend(_ remedy: Remedy) async throws {}

  /// `nil`.
  public var versionField: String? { nil }

  /// `nil`.
  public var codingField: String? { nil }
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

/// A change after which a request that was refused may succeed.
public enum Remedy: Hashable, Sendable {
  /// Get other credentials.
  case credentials
  /// Ask the store's servers of another region.
  case region(String)
  /// Sign by the server's clock, which is ahead of ours by this many seconds.
  case clock(offset: Int)
  /// Leave ``RequestPlan/versionID`` out from now on: the store lets this reader read the current version only. An answer of
  /// another version than the pinned one still fails the read.
  case currentVersion

  enum Kind: Hashable, Sendable { case credentials, region, clock, currentVersion }

  var kind: Kind {
    switch self {
    case .credentials: .credentials
    case .region: .region
    case .clock: .clock
    case .currentVersion: .currentVersion
    }
  }
}

/// The judgement of an authority on an error answer.
public enum RefusalVerdict: Sendable {
  /// Nothing: it is judged by its status.
  case none
  /// The read fails with this error, to which the object's name and the range are added.
  case fail(ReadError)
  /// Do this, then send the request once more. What was mended so before is judged by its status.
  case mend(Remedy)
  /// The same. What was mended so before fails with this error.
  case mendOrFail(Remedy, ReadError)
}
