/// How a vendor writes signatures of version 4: the names that stand in them. The rest is alike.
public struct SignatureForm: Hashable, Sendable {
  /// The name of the algorithm.
  let algorithm: String
  /// What a secret is preceded by when keys are derived from it.
  let keyPrefix: String
  /// What ends the scope of a signature.
  let terminator: String
  /// How the names of the fields begin.
  let fieldPrefix: String
  /// How the names of the query's parameters begin.
  let parameterPrefix: String
  /// How the names of a session token's field and parameter end.
  var tokenName = "Security-Token"

  /// AWS Signature Version 4.
  public static let amazon = SignatureForm(
    algorithm: "AWS4-HMAC-SHA256", keyPrefix: "AWS4", terminator: "aws4_request", fieldPrefix: "x-amz-",
    parameterPrefix: "X-Amz-")
  /// The same, with the token of a session with a directory bucket of S3.
  public static let amazonExpress = {
    var form = amazon
    form.tokenName = "S3session-Token"
    return form
  }()
  /// Google's, with an HMAC key.
  public static let google = SignatureForm(
    algorithm: "GOOG4-HMAC-SHA256", keyPrefix: "GOOG4", terminator: "goog4_request", fieldPrefix: "x-goog-",
    parameterPrefix: "X-Goog-")
  /// Google's, with the RSA key of a service account.
  public static let googleRSA = SignatureForm(
    algorithm: "GOOG4-RSA-SHA256", keyPrefix: "", terminator: "goog4_request", fieldPrefix: "x-goog-",
    parameterPrefix: "X-Goog-")
}
