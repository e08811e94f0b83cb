#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The places where the AWS tools look for credentials, in their order: keys of the environment, a role of the profile, web
  /// identity of the environment, what else the profile has, container, virtual machine. The first that has some wins. A place
  /// that has some but cannot give them fails the search: a user who set one up does not want another's rights.
  struct CredentialsChain: Sendable {
    /// The profile that the user named; `nil` for `AWS_PROFILE` or `default`.
    var profile: String?
    /// The region whose token service is asked; `nil` for that of the environment or the profile.
    var region: String?
    var places: CredentialPlaces
    /// The hosts of AWS's services that are asked.
    var hosts = AWSHosts()
    /// The machine's metadata service has given credentials.
    private let hasMachine = Guarded(false)

    init(profile: String? = nil, region: String? = nil, places: CredentialPlaces, hosts: AWSHosts = AWSHosts()) {
      self.profile = profile
      self.region = region
      self.places = places
      self.hosts = hosts
    }

    /// The credentials of the first place that has some.
    ///
    /// - Throws: `permissionDenied` if no place has any, with the list of places; what a place that has some threw.
    func credentials() async throws -> S3Credentials {
      // Who names a profile means that profile, whatever the environment says.
      if profile == nil, let found = try Self.environment(places) { return found }
      let settings = try await profileSettings()
      let services = ConfiguredEndpoints(places: places, profile: settings, hosts: hosts)
      let takesOnRole = settings?["role_arn"] != nil && settings?["web_identity_token_file"] == nil
      if profile == nil, !takesOnRole, let identity = try webIdentity() {
        return try await identity.credentials(services.tokenService(in: region(settings)))
      }
      if let settings, let found = try await credentials(of: settings, services, region(settings)) { return found }
      if let profile { throw Self.missing("the profile '\(profile)' has no credentials") }
      if let container = try ContainerCredentials(places) { return try await container.credentials(places) }
      if let found = try await InstanceMetadata(places, settings)?.credentials(places) {
        hasMachine.withLock { $0 = true }
        return found
      }
      // It was there: an answer may have been lost.
      if hasMachine.withLock({ $0 }) { throw InstanceMetadata.silence }
      throw Self.missing(
        "there are no credentials in the environment, the AWS profile or the machine's metadata service")
    }

    static func environment(_ places: CredentialPlaces) throws(ReadError) -> S3Credentials? {
      let id = places.variable("AWS_ACCESS_KEY_ID")
      let secret = places.variable("AWS_SECRET_ACCESS_KEY")
      switch (id, secret) {
      case (nil, nil): return nil
      case (let id?, let secret?):
        let expiry = places.variable("AWS_CREDENTIAL_EXPIRATION").flatMap { SigningTime($0) }
        return S3Credentials(
          accessKeyID: id, secretAccessKey: secret,
          sessionToken: places.variable("AWS_SESSION_TOKEN") ?? places.variable("AWS_SECURITY_TOKEN"),
          expiry: expiry?.secondsSince1970)
      default:
        throw ReadError(
          .invalidConfiguration,
          "the environment has one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: set both, or neither")
      }
    }

    /// The settings of the profile in use; `nil` if none is named and there is no default.
    func profileSettings() async throws -> AWSProfile? {
      let named = profile ?? places.variable("AWS_PROFILE") ?? places.variable("AWS_DEFAULT_PROFILE")
      let credentials = try await file("AWS_SHARED_CREDENTIALS_FILE", or: "~/.aws/credentials")
      let configuration = try await file("AWS_CONFIG_FILE", or: "~/.aws/config")
      let files = AWSFiles(credentials: credentials.text, configuration: configuration.text)
      let found = files.profile(named ?? "default")
      if let named, found == nil {
        throw ReadError(
          .invalidConfiguration,
          "there is no profile '\(named)' in \(credentials.path) or \(configuration.path): check its name")
      }
      return found
    }

    /// The file that a variable names, or else the one at its usual place.
    private func file(_ variable: String, or usual: String) async throws -> (path: String, text: String?) {
      if let named = places.variable(variable) { return (named, try await places.file(places.path(named))) }
      return (usual, try await places.usualFile(places.path(usual)))
    }

    private func webIdentity() throws(ReadError) -> WebIdentity? {
      guard let file = places.variable("AWS_WEB_IDENTITY_TOKEN_FILE") else { return nil }
      guard let role = places.variable("AWS_ROLE_ARN") else {
        throw ReadError(
          .invalidConfiguration, "the environment has AWS_WEB_IDENTITY_TOKEN_FILE without AWS_ROLE_ARN: set both")
      }
      return WebIdentity(tokenFile: file, role: role, session: places.variable("AWS_ROLE_SESSION_NAME"))
    }

    private func region(_ settings: AWSProfile?) -> String {
      region ?? Self.region(places, settings) ?? "us-east-1"
    }

    /// The region that the environment or the profile names.
    static func region(_ places: CredentialPlaces, _ settings: AWSProfile?) -> String? {
      places.variable("AWS_REGION") ?? places.variable("AWS_DEFAULT_REGION") ?? settings?["region"]
    }

    private static func missing(_ what: String) -> ReadError {
      ReadError(
        .permissionDenied,
        "\(what): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile, or ask for anonymous access")
    }
  }

#endif
