#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The places where the AWS tools look for credentials, in their order: environment, profile, web identity, container,
  /// virtual machine. The first that has some wins. A place that has some but cannot give them fails the search: a user
  /// who set one up does not want another's rights.
  struct CredentialsChain: Sendable {
    /// The profile that the user named; `nil` for `AWS_PROFILE` or `default`.
    var profile: String?
    /// The region whose token service is asked; `nil` for that of the environment or the profile.
    var region: String?
    var places: CredentialPlaces
    /// The hosts of AWS's services that are asked.
    var hosts = AWSHosts()

    /// The credentials of the first place that has some.
    ///
    /// - Throws: `permissionDenied` if no place has any, with the list of places; what a place that has some threw.
    func credentials() async throws -> S3Credentials {
      // Who names a profile means that profile, whatever the environment says.
      if profile == nil, let found = try Self.environment(places) { return found }
      let settings = try await profileSettings()
      let services = ConfiguredEndpoints(places: places, profile: settings, hosts: hosts)
      if let settings, let found = try await credentials(of: settings, services, region(settings)) { return found }
      if let profile { throw Self.missing("the profile '\(profile)' has no credentials") }
      if let identity = try webIdentity() {
        return try await identity.credentials(services.tokenService(in: region(settings)))
      }
      if let container = try ContainerCredentials(places) { return try await container.credentials(places) }
      if let found = try await InstanceMetadata(places, settings)?.credentials(places) { return found }
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
      let credentials = places.variable("AWS_SHARED_CREDENTIALS_FILE") ?? "~/.aws/credentials"
      let configuration = places.variable("AWS_CONFIG_FILE") ?? "~/.aws/config"
      let files = AWSFiles(
        credentials: try await places.file(places.path(credentials)),
        configuration: try await places.file(places.path(configuration)))
      let found = files.profile(named ?? "default")
      if let named, found == nil {
        throw ReadError(
          .invalidConfiguration, "there is no profile '\(named)' in \(credentials) or \(configuration): check its name")
      }
      return found
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
