#if S3
  internal import RangeIO
  internal import RangeIORemote

  extension CredentialsChain {
    /// The credentials that a profile has, or leads to.
    ///
    /// - Parameters:
    ///   - services: the services that are asked, of the profile that the search began with.
    ///   - region: whose token service is asked.
    ///   - users: the profiles whose roles are taken on with these credentials, the first one first.
    /// - Returns: `nil` if it has none.
    func credentials(
      of profile: AWSProfile, _ services: ConfiguredEndpoints, _ region: String, for users: [String] = []
    ) async throws -> S3Credentials? {
      // A profile may take on its role with its own keys, and keys end a chain of roles.
      if !users.isEmpty, let keys = try profile.keys() { return keys }
      switch try profile.credentials() {
      case .keys(let keys): return keys
      case .process(let command):
        return try CredentialsDocument.credentials(
          await places.run(.init(command, name: "the credential_process of the profile")),
          from: "the credential_process of the profile")
      case .webIdentity(let identity): return try await identity.credentials(services.tokenService(in: region))
      case .sso(let login): return try await login.credentials(services)
      case .login(let session): return try await session.credentials(services, region: region)
      case .role(let role):
        let source = try await source(of: role, profile, services, region, users + [profile.name])
        return try await role.credentials(signedBy: source, services.tokenService(in: region))
      case .none: return nil
      }
    }

    /// The credentials that take on the role of `profile`.
    private func source(
      of role: AssumedRole, _ profile: AWSProfile, _ services: ConfiguredEndpoints, _ region: String, _ users: [String]
    ) async throws -> S3Credentials {
      let found: S3Credentials?
      switch role.source {
      case .environment: found = try Self.environment(places)
      case .container: found = try await ContainerCredentials(places)?.credentials(places)
      case .machine: found = try await InstanceMetadata(places, services.profile)?.credentials(places)
      case .profile(let name):
        guard let next = profile.files.profile(name) else {
          throw profile.invalid("has the source_profile '\(name)', which is not there: check its name")
        }
        if users.contains(name), try next.keys() == nil {
          throw profile.invalid(
            "takes on a role in a circle (\((users + [name]).joined(separator: ", then "))): name a source_profile with "
              + "credentials")
        }
        found = try await credentials(of: next, services, region, for: users)
      }
      guard let found else {
        let place =
          switch role.source {
          case .environment: "the environment has no keys"
          case .container: "there is no credentials service of a container"
          case .machine: "there is no metadata service with a role"
          case .profile(let name): "the source_profile '\(name)' has no credentials"
          }
        // A machine's service may have been slow.
        throw ReadError(
          .permissionDenied,
          "the profile '\(profile.name)' takes on a role, but \(place): correct source_profile or credential_source",
          isTransient: role.source == .machine)
      }
      return found
    }
  }

#endif
