#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The servers of AWS's services, by the environment and the profile, or else AWS's own.
  struct ConfiguredEndpoints: Sendable {
    let places: CredentialPlaces
    /// The profile in use, if there is one.
    let profile: AWSProfile?
    let hosts: AWSHosts

    /// The URL that the environment or the profile names for a service, in the order of the AWS tools: the variable of the
    /// service, that of all, the profile's `services` section, its `endpoint_url`. `nil` for AWS's own.
    ///
    /// - Throws: `invalidConfiguration` if the profile names a section that is not there.
    func named(_ service: AWSService) throws(ReadError) -> String? {
      if try ignores() { return nil }
      let variable = "AWS_ENDPOINT_URL_\(service.setting.uppercased())"
      if let url = places.variable(variable) ?? places.variable("AWS_ENDPOINT_URL") { return url }
      guard let profile else { return nil }
      if let name = profile["services"] {
        guard let services = profile.files.section("services", name) else {
          throw profile.invalid("names the section [services \(name)], which is not there: add it")
        }
        if let url = services["\(service.setting).endpoint_url"], !url.isEmpty { return url }
      }
      return profile["endpoint_url"]
    }

    /// The URL of a service other than S3, without a slash at its end.
    func url(of service: AWSService, in region: String) throws(ReadError) -> String {
      if var url = try named(service) {
        while url.hasSuffix("/") { url.removeLast() }
        try hosts.check("the server of \(service.setting) that has a URL of yours")
        return url
      }
      // It goes into a host that is sent a token.
      guard XMLText.isName(region) else {
        throw ReadError(
          .invalidConfiguration,
          "the region '\(region.prefix(64))' of a sign-in has other characters than letters, digits and hyphens: correct it"
        )
      }
      return "https://\(hosts.host(of: service, in: region))"
    }

    /// The token service, in a region.
    func tokenService(in region: String) throws(ReadError) -> TokenService {
      TokenService(url: try url(of: .sts, in: region), region: region, places: places)
    }

    private func ignores() throws(ReadError) -> Bool {
      let variable = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
      if let text = places.variable(variable) { return try AWSProfile.flag(text, variable) }
      return try profile?.flag("ignore_configured_endpoint_urls") ?? false
    }
  }

  extension AWSHosts {
    /// Those that the environment or the profile asks for.
    ///
    /// - Throws: `invalidConfiguration` for a switch that is neither `true` nor `false`.
    init(_ places: CredentialPlaces, _ profile: AWSProfile?) throws(ReadError) {
      func isOn(_ variable: String, _ settings: String...) throws(ReadError) -> Bool {
        if let text = places.variable(variable) { return try AWSProfile.flag(text, variable) }
        for setting in settings { if let isOn = try profile?.flag(setting) { return isOn } }
        return false
      }
      usesFIPS = try isOn("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint")
      usesDualStack = try isOn("AWS_USE_DUALSTACK_ENDPOINT", "s3.use_dualstack_endpoint", "use_dualstack_endpoint")
    }
  }

#endif
