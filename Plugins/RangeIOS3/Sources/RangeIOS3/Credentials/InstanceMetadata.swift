#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The metadata service of a virtual machine in EC2, by default one second for each request. Version 2 (with a
  /// session token); version 1 where the service says that it knows no tokens, unless that is switched off.
  struct InstanceMetadata: Equatable, Sendable {
    var endpoint: String
    /// The version without tokens must not be asked.
    var needsToken: Bool
    /// The most time of a request.
    var timeout: Duration
    /// How often a request is sent that gets no answer.
    var attempts: Int

    private static let path = "/latest/meta-data/iam/security-credentials/"

    /// `nil` if the environment says that there is none.
    ///
    /// - Throws: `invalidConfiguration` for a switch with a value that is none, or an endpoint that is no URL.
    init?(_ places: CredentialPlaces, _ profile: AWSProfile?) throws(ReadError) {
      func text(_ variable: String, _ setting: String) -> String? { places.variable(variable) ?? profile?[setting] }
      if places.variable("AWS_EC2_METADATA_DISABLED")?.lowercased() == "true" { return nil }
      let isIPv6: Bool
      if let mode = text("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode") {
        guard ["ipv4", "ipv6"].contains(mode.lowercased()) else {
          throw ReadError(
            .invalidConfiguration, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is neither IPv4 nor IPv6: correct it")
        }
        isIPv6 = mode.lowercased() == "ipv6"
      } else {
        let old = text("AWS_IMDS_USE_IPV6", "imds_use_ipv6")
        isIPv6 = try old.map { text throws(ReadError) in try AWSProfile.flag(text, "AWS_IMDS_USE_IPV6") } ?? false
      }
      let usual = isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
      var endpoint = text("AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint") ?? usual
      while endpoint.hasSuffix("/") { endpoint.removeLast() }
      do { _ = try ObjectURL(endpoint) } catch {
        throw ReadError(
          .invalidConfiguration, "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL: write it as in http://169.254.169.254")
      }
      self.endpoint = endpoint
      func number(_ variable: String) throws(ReadError) -> Int {
        // The setting has the same name in small letters.
        guard let value = text(variable, String(variable.dropFirst(4).lowercased())) else { return 1 }
        guard let number = Int(value), 1...60 ~= number else {
          throw ReadError(.invalidConfiguration, "\(variable) is no whole number from 1 to 60: correct it")
        }
        return number
      }
      timeout = .seconds(try number("AWS_METADATA_SERVICE_TIMEOUT"))
      attempts = try number("AWS_METADATA_SERVICE_NUM_ATTEMPTS")
      let isOff = text("AWS_EC2_METADATA_V1_DISABLED", "ec2_metadata_v1_disabled")
      needsToken =
        try isOff.map { text throws(ReadError) in try AWSProfile.flag(text, "AWS_EC2_METADATA_V1_DISABLED") } ?? false
    }

    /// What it answers when it is busy. Others stand for a gateway, where there is no such service.
    private static let busy: Set = [429, 500, 503]
    /// The service does not answer, and must be there.
    static let silence = ReadError(
      .inputOutput, "the metadata service (IMDS) gives no credentials at the moment: try again", isTransient: true)

    /// Asks the service. `nil` if the service does not answer, as outside EC2, or if the machine has no role.
    ///
    /// - Throws: a transient error if it is busy.
    func credentials(_ places: CredentialPlaces) async throws -> S3Credentials? {
      var token: [UInt8]?
      var isBusy = false
      do {
        let answer = try await send(
          CredentialPlaces.Request(
            method: "PUT", url: endpoint + "/latest/api/token",
            fields: HeaderFields(["X-aws-ec2-metadata-token-ttl-seconds": "300"]), timeout: timeout, isLocal: true),
          places)
        switch answer.status {
        case 200: token = answer.body
        case 403, 404, 405, 501:
          if needsToken {
            throw ReadError(
              .permissionDenied,
              "the metadata service (IMDS) knows no tokens, and its first version is switched off: unset "
                + "AWS_EC2_METADATA_V1_DISABLED or ec2_metadata_v1_disabled")
          }
          token = nil
        case let status where Self.busy.contains(status): isBusy = true
        default: return nil
        }
      } catch let error as ReadError where error.code != .closed && error.code != .permissionDenied {
        return nil
      }
      if isBusy { throw Self.silence }
      let roles = try await get(Self.path, token, places)
      if Self.busy.contains(roles.status) { throw Self.silence }
      guard roles.status == 200, let role = Self.line(roles.body) else { return nil }
      let answer = try await get(Self.path + ObjectURL.encodedQuery(role), token, places)
      guard answer.status == 200 else {
        throw ReadError(
          .permissionDenied, "the metadata service (IMDS) answered with status \(answer.status) for the machine's role",
          isTransient: true)
      }
      return try CredentialsDocument.credentials(answer.body, from: "the metadata service (IMDS)")
    }

    private func get(_ path: String, _ token: [UInt8]?, _ places: CredentialPlaces) async throws
      -> CredentialPlaces.Answer
    {
      var fields = HeaderFields()
      if let token {
        guard let token = Self.line(token) else {
          throw ReadError(.invalidResponse, "the metadata service (IMDS) gave an empty token", isTransient: true)
        }
        fields.set("X-aws-ec2-metadata-token", token)
      }
      return try await send(
        CredentialPlaces.Request(url: endpoint + path, fields: fields, timeout: timeout, isLocal: true), places)
    }

    private func send(
      _ request: CredentialPlaces.Request, _ places: CredentialPlaces
    ) async throws -> CredentialPlaces.Answer {
      for _ in 1..<attempts {
        do { return try await places.send(request) } catch let error as ReadError where error.isTransient { continue }
      }
      return try await places.send(request)
    }

    /// The first line of an answer, if it says something that can stand in a head.
    private static func line(_ body: [UInt8]) -> String? {
      let line = body.prefix { $0 > 32 && $0 < 127 }
      return line.isEmpty || line.count > 4_096 ? nil : String(decoding: line, as: UTF8.self)
    }
  }

#endif
