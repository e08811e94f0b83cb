#if S3
  internal import RangeIO

  /// The places where the AWS tools look for credentials, in their order: environment, profile, web identity, container,
  /// virtual machine. The first that has some wins. A place that has some but cannot give them fails the search: a user
  /// who set one up does not want another's rights.
  struct CredentialsChain: Sendable {
    /// The profile that the user named; `nil` for `AWS_PROFILE` or `default`.
    var profile: String?
    /// The region whose token service is asked; `nil` for that of the environment or the profile.
    var region: String?
    var surroundings: Surroundings

    /// The credentials of the first place that has some.
    ///
    /// - Throws: `permissionDenied` if no place has any, with the list of places; what a place that has some threw.
    func credentials() async throws -> S3Credentials {
      // Who names a profile means that profile, whatever the environment says.
      if profile == nil, let found = try Self.environment(surroundings) { return found }
      let settings = try await profileSettings()
      switch try settings?.credentials() ?? .none {
      case .keys(let keys): return keys
      case .process(let command):
        return try CredentialsDocument.credentials(
          await surroundings.run(command), from: "the credential_process of the profile")
      case .webIdentity(let identity): return try await identity.credentials(surroundings, region: stsRegion(settings))
      case .none: break
      }
      if let profile { throw Self.missing("the profile '\(profile)' has no credentials") }
      if let identity = try webIdentity() {
        return try await identity.credentials(surroundings, region: stsRegion(settings))
      }
      if let container = try ContainerCredentials(surroundings) { return try await container.credentials(surroundings) }
      if let found = try await InstanceMetadata(surroundings)?.credentials(surroundings) { return found }
      throw Self.missing(
        "there are no credentials in the environment, the AWS profile or the machine's metadata service")
    }

    private static func environment(_ surroundings: Surroundings) throws(ReadError) -> S3Credentials? {
      let id = surroundings.variable("AWS_ACCESS_KEY_ID")
      let secret = surroundings.variable("AWS_SECRET_ACCESS_KEY")
      switch (id, secret) {
      case (nil, nil): return nil
      case (let id?, let secret?):
        let expiry = surroundings.variable("AWS_CREDENTIAL_EXPIRATION").flatMap { SigningTime($0) }
        return S3Credentials(
          accessKeyID: id, secretAccessKey: secret, sessionToken: surroundings.variable("AWS_SESSION_TOKEN"),
          expiry: expiry?.secondsSince1970)
      default:
        throw ReadError(
          .invalidConfiguration,
          "the environment has one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: set both, or neither")
      }
    }

    /// The settings of the profile in use; `nil` if none is named and there is no default.
    func profileSettings() async throws -> AWSProfile? {
      let named = profile ?? surroundings.variable("AWS_PROFILE") ?? surroundings.variable("AWS_DEFAULT_PROFILE")
      let credentials = surroundings.variable("AWS_SHARED_CREDENTIALS_FILE") ?? "~/.aws/credentials"
      let configuration = surroundings.variable("AWS_CONFIG_FILE") ?? "~/.aws/config"
      let found = AWSProfile(
        named ?? "default", credentials: try await surroundings.file(surroundings.path(credentials)),
        configuration: try await surroundings.file(surroundings.path(configuration)))
      if let named, found == nil {
        throw ReadError(
          .invalidConfiguration, "there is no profile '\(named)' in \(credentials) or \(configuration): check its name")
      }
      return found
    }

    private func webIdentity() throws(ReadError) -> WebIdentity? {
      guard let file = surroundings.variable("AWS_WEB_IDENTITY_TOKEN_FILE") else { return nil }
      guard let role = surroundings.variable("AWS_ROLE_ARN") else {
        throw ReadError(
          .invalidConfiguration, "the environment has AWS_WEB_IDENTITY_TOKEN_FILE without AWS_ROLE_ARN: set both")
      }
      return WebIdentity(tokenFile: file, role: role, session: surroundings.variable("AWS_ROLE_SESSION_NAME"))
    }

    private func stsRegion(_ settings: AWSProfile?) -> String {
      region ?? Self.region(surroundings, settings) ?? "us-east-1"
    }

    /// The region that the environment or the profile names.
    static func region(_ surroundings: Surroundings, _ settings: AWSProfile?) -> String? {
      surroundings.variable("AWS_REGION") ?? surroundings.variable("AWS_DEFAULT_REGION") ?? settings?["region"]
    }

    private static func missing(_ what: String) -> ReadError {
      ReadError(
        .permissionDenied,
        "\(what): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile, or ask for anonymous access")
    }
  }

#endif
