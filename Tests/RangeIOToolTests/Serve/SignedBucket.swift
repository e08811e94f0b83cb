#if Tool && Serve && S3
import RangeIOHTTPTestServer
import RangeIOSupport

/// A store that answers as S3 does, for one bucket: it checks each signature over what came by the wire.
struct SignedBucket: Sendable {
  static let region = "eu-north-1"
  static let (keyID, secret) = ("AKIDEXAMPLE", "hunter2/secret")

  /// Objects by their keys.
  let objects: [String: ServedObject]

  /// The variables that let `rangeio` sign.
  static var variables: [String] {
    ["AWS_ACCESS_KEY_ID=\(keyID)", "AWS_SECRET_ACCESS_KEY=\(secret)", "AWS_REGION=\(region)", "PATH=/usr/bin:/bin"]
  }

  /// As a script of a server, for `/bucket`.
  var script: ServerScript {
    ServerScript { asked in
      let request = asked.request
      guard Self.isSigned(request) else { return Self.error(403, "SignatureDoesNotMatch", request) }
      guard request.path.hasPrefix("/bucket") else { return Self.error(404, "NoSuchBucket", request) }
      if request.parameter("list-type") == "2" { return list(request) }
      guard let object = objects[String(request.path.dropFirst("/bucket/".count))] else {
        return Self.error(404, "NoSuchKey", request)
      }
      return ScriptedAnswer.honest(request, object, date: HTTPTime.now)
    }
  }

  private static func isSigned(_ request: ServerRequest) -> Bool {
    guard let time = request["x-amz-date"].flatMap({ SigningTime($0) }),
      abs(time.secondsSince1970 - HTTPTime.now) < 900
    else { return false }
    let target = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let unsigned = UnsignedRequest(
      method: request.method, scheme: "http", host: request["Host"] ?? "", path: String(target[0]),
      query: target.count > 1 ? String(target[1]) : "", headers: request.fields.map { .init($0.name, $0.value) })
    let signer = RequestSigner(
      .amazon, keyID: keyID, secret: secret, region: region, service: "s3", keys: SigningKeys())
    return signer.headers(for: unsigned, at: time).last?.value == request["Authorization"]
  }

  /// A page of two names at most, so that longer lists have several.
  private func list(_ request: ServerRequest) -> ScriptedAnswer {
    func value(_ name: String) -> String? { request.parameter(name).map { PercentCoding.decoded($0) } }
    let (lines, next) = NamePages(Array(objects.keys)).page(
      value("prefix") ?? "", delimiter: value("delimiter"), after: value("continuation-token"), most: 2)
    let items = lines.map { line in
      let name = PercentCoding.encoded(line.name, keeping: UInt8(ascii: "/"))
      return line.isFolder
        ? "<CommonPrefixes><Prefix>\(name)</Prefix></CommonPrefixes>"
        : "<Contents><Key>\(name)</Key><Size>\(objects[line.name]?.bytes.count ?? 0)</Size></Contents>"
    }
    return ScriptedAnswer(
      200,
      text: "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(next != nil)</IsTruncated>"
        + items.joined() + (next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? "")
        + "</ListBucketResult>", type: "application/xml")
  }

  private static func error(_ status: Int, _ code: String, _ request: ServerRequest) -> ScriptedAnswer {
    var answer = ScriptedAnswer(
      status, text: "<Error><Code>\(code)</Code><Message>m</Message></Error>", type: "application/xml")
    answer.isBodyless = request.method == "HEAD"
    return answer
  }
}
#endif
