#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Where the store is, by the configuration, the environment and the profile.
  struct StorePlace: Sendable {
    /// The region to begin with.
    let region: String
    let endpoint: S3Endpoint
    let addressing: S3Source.Addressing
    /// The hosts of AWS's services.
    let hosts: AWSHosts
    /// The file of certificates to trust, if one is named.
    let rootFile: String?
    /// Directory buckets are asked with a session.
    let usesSessions: Bool

    /// Finds endpoint, region and settings. Opens no connection; may read the AWS tools' files.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`; errors of reading files.
    init(_ address: S3Address, _ configuration: S3Source.Configuration, _ places: CredentialPlaces) async throws {
      let settings = try await Self.settings(configuration.credentials, places)
      var hosts = try AWSHosts(places, settings)
      if let usesFIPS = configuration.usesFIPS { hosts.usesFIPS = usesFIPS }
      if let usesDualStack = configuration.usesDualStack { hosts.usesDualStack = usesDualStack }
      var region = configuration.region ?? CredentialsChain.region(places, settings) ?? "us-east-1"
      // Older names of the regions' FIPS hosts.
      if region.hasPrefix("fips-") || region.hasSuffix("-fips") {
        region = region.hasPrefix("fips-") ? String(region.dropFirst(5)) : String(region.dropLast(5))
        hosts.usesFIPS = true
      }
      self.hosts = hosts
      let named = try ConfiguredEndpoints(places: places, profile: settings, hosts: hosts).named(.s3)
      if let url = configuration.endpoint ?? named {
        endpoint = try S3Endpoint(url)
        try hosts.check("an endpoint of yours")
      } else {
        endpoint = S3Endpoint(hosts)
      }
      addressing = try Self.addressing(configuration.addressing, settings)
      guard XMLText.isName(region) else {
        throw ReadError(
          .invalidConfiguration,
          "the region '\(region.prefix(64))' has other characters than letters, "
            + "digits and hyphens: write it as in us-east-1")
      }
      func isOn(_ variable: String, _ setting: String) throws(ReadError) -> Bool? {
        if let text = places.variable(variable) { return try AWSProfile.flag(text, variable) }
        return try settings?.flag(setting)
      }
      let usesOtherRegions =
        try isOn("AWS_S3_USE_ARN_REGION", "s3_use_arn_region") ?? settings?.flag("s3.use_arn_region")
      self.region = try endpoint.region(
        of: address, from: region, addressing, usesOtherRegions: usesOtherRegions ?? true)
      usesSessions =
        try !(isOn("AWS_S3_DISABLE_EXPRESS_SESSION_AUTH", "s3_disable_express_session_auth") ?? false)
      rootFile = places.variable("AWS_CA_BUNDLE") ?? settings?["ca_bundle"].map { places.path($0) }
    }

    /// The settings of the profile that counts; `nil` if there is none.
    private static func settings(
      _ credentials: S3Source.CredentialsProvider, _ places: CredentialPlaces
    ) async throws -> AWSProfile? {
      switch credentials.kind {
      case .standard(let profile): return try await CredentialsChain(profile: profile, places: places).profileSettings()
      case .given, .provider, .anonymous:
        do {
          return try await CredentialsChain(places: places).profileSettings()
        } catch is ReadError {
          // The profile that the environment names is not asked for credentials: it need not exist, and its files may be
          // those of another user.
          return nil
        }
      }
    }

    /// The profile's, if the configuration leaves it open.
    private static func addressing(
      _ configured: S3Source.Addressing, _ settings: AWSProfile?
    ) throws(ReadError) -> S3Source.Addressing {
      guard let settings else { return configured }
      if try settings.flag("s3.use_accelerate_endpoint") == true {
        throw settings.invalid("asks for accelerated hosts, which are not supported: remove use_accelerate_endpoint")
      }
      if let version = settings["s3.signature_version"], version != "s3v4" {
        throw settings.invalid("asks for signatures other than s3v4, which are not supported: remove signature_version")
      }
      guard configured == .automatic, let style = settings["s3.addressing_style"] else { return configured }
      switch style.lowercased() {
      case "auto": return .automatic
      case "path": return .path
      case "virtual": return .virtualHost
      default: throw settings.invalid("has an unknown s3 addressing_style: write auto, path or virtual")
      }
    }
  }

#endif
