#if S3
  import Crypto
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport

  @testable import RangeIOS3

  /// A way to get credentials that a test tries, and what is set up for it.
  enum CredentialWay: CaseIterable {
    case container, machine, webIdentity, role, roleOfMachine, sso, olderSSO, login, process

    /// The configuration file.
    var configuration: String {
      switch self {
      case .container, .machine, .webIdentity: ""
      case .role:
        "[default]\nrole_arn=r\nsource_profile=default\naws_access_key_id=AKIDBASE\naws_secret_access_key=base secret"
      case .roleOfMachine: "[default]\nrole_arn=r\ncredential_source=Ec2InstanceMetadata"
      case .sso:
        """
        [default]
        sso_session = corporate
        sso_account_id = 1
        sso_role_name = reader
        [sso-session corporate]
        sso_region = eu-west-1
        sso_start_url = https://corp.awsapps.com/start
        """
      case .olderSSO:
        """
        [default]
        sso_region = eu-west-1
        sso_start_url = https://corp.awsapps.com/start
        sso_account_id = 1
        sso_role_name = reader
        """
      case .login: "[default]\nlogin_session=arn:aws:iam::1:user/me"
      case .process: "[default]\ncredential_process=/opt/keys"
      }
    }

    static let loginKey = P256.Signing.PrivateKey()
    private static let cache = "/home/u/.aws/sso/cache"

    /// All files. Those of sign-ins end long ago where they can be renewed.
    var files: [String: String] {
      var files = ["/home/u/.aws/config": configuration, "/token": "hidden identity"]
      let end = self == .olderSSO ? "2099-01-01T00:00:00Z" : "2020-01-01T00:00:00Z"
      let token = """
        {"accessToken": "hidden token", "expiresAt": "\(end)", "refreshToken": "hidden refresh", "clientId": "client",
         "clientSecret": "hidden client", "registrationExpiresAt": "2099-01-01T00:00:00Z", "kept": [1]}
        """
      // The SHA-1 of the session's name, and of the portal's URL.
      files["\(Self.cache)/e276d18d65653fa285155bfd3e11ab029306830c.json"] = token
      files["\(Self.cache)/a51746d4aa793ae07b25e90c3a5db96fc7832bd7.json"] = token
      let pem = Self.loginKey.pemRepresentation.replacing("\n", with: "\\n")
      files["/home/u/.aws/login/cache/da19974a351c10e6ddab0fe8d7b1fb3a289211121e24f211c7eb19ed08e30e3a.json"] = """
        {"accessToken": {"accessKeyId": "OLD", "secretAccessKey": "hidden old", "sessionToken": "hidden", "accountId": "1",
         "expiresAt": "2020-01-01T00:00:00Z"}, "refreshToken": "hidden refresh", "clientId": "client",
         "dpopKey": "\(pem)", "signInRegion": "eu-north-1"}
        """
      return files
    }

    /// The variables that lead to services at `origin`.
    func variables(_ origin: String) -> [String: String] {
      var variables = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": origin]
      for service in ["STS", "SSO", "SSO_OIDC", "SIGNIN"] { variables["AWS_ENDPOINT_URL_\(service)"] = "\(origin)/" }
      switch self {
      case .container: variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "\(origin)/container"
      case .webIdentity:
        variables.merge(["AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "r"]) { $1 }
      default: break
      }
      return variables
    }
  }

  /// Services of AWS that give other credentials with each request, for a store that accepts them.
  final class AWSServices: Sendable {
    private let given = Guarded(0)
    private let store: MiniatureStore

    init(_ store: MiniatureStore) { self.store = store }

    /// How many credentials were given.
    var count: Int { given.withLock { $0 } }

    private func next() -> (id: String, secret: String, token: String) {
      let number = given.withLock { count in
        count += 1
        return count
      }
      let keys = ("GIVEN\(number)", "hidden secret \(number)", "hidden token \(number)")
      store.set {
        $0.accepted[keys.0] = S3Credentials(accessKeyID: keys.0, secretAccessKey: keys.1, sessionToken: keys.2)
      }
      return keys
    }

    /// What a program prints that has credentials.
    func printed() -> String {
      let keys = next()
      return """
        {"Version": 1, "AccessKeyId": "\(keys.id)", "SecretAccessKey": "\(keys.secret)", "SessionToken": "\(keys.token)",
         "Expiration": "2099-01-01T00:00:00Z"}
        """
    }

    /// The answer to a request.
    func answer(_ request: ServerRequest) -> ScriptedAnswer {
      let body = String(decoding: request.body, as: UTF8.self)
      switch (request.method, request.path) {
      case ("PUT", "/latest/api/token"): return ScriptedAnswer(200, text: "session")
      case ("GET", "/latest/meta-data/iam/security-credentials/"): return ScriptedAnswer(200, text: "role")
      case ("GET", "/container"), ("GET", "/latest/meta-data/iam/security-credentials/role"):
        let keys = next()
        return ScriptedAnswer(
          200,
          text: """
            {"AccessKeyId": "\(keys.id)", "SecretAccessKey": "\(keys.secret)", "Token": "\(keys.token)",
             "Expiration": "2099-01-01T00:00:00Z"}
            """)
      case ("POST", "/") where body.contains("Action=AssumeRole"):
        guard body.contains("WebIdentityToken=hiddenidentity") || request["Authorization"]?.contains("/sts/") == true
        else { return ScriptedAnswer(403, text: "<Code>MissingAuthenticationToken</Code>") }
        let keys = next()
        return ScriptedAnswer(
          200,
          text: """
            <r><AccessKeyId>\(keys.id)</AccessKeyId><SecretAccessKey>\(keys.secret)</SecretAccessKey>
            <SessionToken>\(keys.token)</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></r>
            """)
      case ("POST", "/token") where body.contains(#""refreshToken":"hidden refresh""#):
        return ScriptedAnswer(200, text: #"{"accessToken": "hidden token", "expiresIn": 28800}"#)
      case ("GET", "/federation/credentials")
      where request["x-amz-sso_bearer_token"] == "hidden token" && request.query == "role_name=reader&account_id=1":
        let keys = next()
        return ScriptedAnswer(
          200,
          text: """
            {"roleCredentials": {"accessKeyId": "\(keys.id)", "secretAccessKey": "\(keys.secret)",
             "sessionToken": "\(keys.token)", "expiration": 4070908800000}}
            """)
      case ("POST", "/v1/token") where request["DPoP"] != nil && body.contains(#""grantType":"refresh_token""#):
        let keys = next()
        return ScriptedAnswer(
          200,
          text: """
            {"accessToken": {"accessKeyId": "\(keys.id)", "secretAccessKey": "\(keys.secret)",
             "sessionToken": "\(keys.token)"}, "expiresIn": 900, "refreshToken": "hidden refresh", "tokenType": "aws_sigv4"}
            """)
      default: return ScriptedAnswer(404, text: "hidden answer")
      }
    }
  }

#endif
