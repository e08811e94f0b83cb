#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The metadata service of a virtual machine in EC2, version 2 (with a session token), one second for each request.
  struct InstanceMetadata: Equatable, Sendable {
    var endpoint: String

    private static let path = "/latest/meta-data/iam/security-credentials/"
    private static let timeout = Duration.seconds(1)

    /// `nil` if the environment says that there is none.
    init?(_ places: CredentialPlaces) {
      if places.variable("AWS_EC2_METADATA_DISABLED")?.lowercased() == "true" { return nil }
      var endpoint = places.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
      while endpoint.hasSuffix("/") { endpoint.removeLast() }
      self.endpoint = endpoint
    }

    /// Asks the service. `nil` if the service does not answer, as outside EC2, or if the machine has no role.
    func credentials(_ places: CredentialPlaces) async throws -> S3Credentials? {
      let token: [UInt8]
      do {
        let answer = try await places.send(
          CredentialPlaces.Request(
            method: "PUT", url: endpoint + "/latest/api/token",
            fields: HeaderFields(["X-aws-ec2-metadata-token-ttl-seconds": "300"]), timeout: Self.timeout, isLocal: true)
        )
        guard answer.status == 200 else { return nil }
        token = answer.body
      } catch let error as ReadError where error.code != .closed {
        return nil
      }
      let roles = try await get(Self.path, token, places)
      guard roles.status == 200, let role = Self.line(roles.body) else { return nil }
      let answer = try await get(Self.path + ObjectURL.encodedQuery(role), token, places)
      guard answer.status == 200 else {
        throw ReadError(
          .permissionDenied, "the metadata service (IMDS) answered with status \(answer.status) for the machine's role",
          isTransient: true)
      }
      return try CredentialsDocument.credentials(answer.body, from: "the metadata service (IMDS)")
    }

    private func get(_ path: String, _ token: [UInt8], _ places: CredentialPlaces) async throws
      -> CredentialPlaces.Answer
    {
      guard let token = Self.line(token) else {
        throw ReadError(.invalidResponse, "the metadata service (IMDS) gave an empty token", isTransient: true)
      }
      return try await places.send(
        CredentialPlaces.Request(
          url: endpoint + path, fields: HeaderFields(["X-aws-ec2-metadata-token": token]), timeout: Self.timeout,
          isLocal: true))
    }

    /// The first line of an answer, if it says something that can stand in a head.
    private static func line(_ body: [UInt8]) -> String? {
      let line = body.prefix { $0 > 32 && $0 < 127 }
      return line.isEmpty || line.count > 4_096 ? nil : String(decoding: line, as: UTF8.self)
    }
  }

#endif
