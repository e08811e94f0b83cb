#if S3
  internal import RangeIO
  internal import RangeIORemote

  /// A role that other credentials take on (`AssumeRole`), as a profile with `role_arn` describes it.
  struct AssumedRole: Equatable, Sendable {
    /// Where the credentials come from that take it on.
    enum Source: Equatable, Sendable {
      case profile(String)
      case environment
      case container
      case machine
    }

    /// The profile's name, for errors.
    let profile: String
    /// The role's ARN.
    let role: String
    let source: Source
    let externalID: String?
    /// The name of the session in the logs of AWS; `nil` for one of ours.
    let session: String?
    /// Seconds; `nil` for what the role has by default, an hour.
    let duration: Int?

    /// - Throws: `invalidConfiguration` if the source is missing, unknown or there twice, and for a role that needs a code.
    init(_ role: String, _ settings: AWSProfile) throws(ReadError) {
      profile = settings.name
      self.role = role
      externalID = settings["external_id"]
      session = settings["role_session_name"]
      if settings["mfa_serial"] != nil {
        throw settings.invalid(
          "takes on a role that needs a code (mfa_serial), which is not supported: run aws configure export-credentials "
            + "--profile \(settings.name) --format env, and set the variables that it prints")
      }
      switch (settings["source_profile"], settings["credential_source"]) {
      case (let name?, nil): source = .profile(name)
      case (nil, let place?):
        switch place.lowercased() {
        case "environment": source = .environment
        case "ecscontainer": source = .container
        case "ec2instancemetadata": source = .machine
        default:
          throw settings.invalid(
            "has an unknown credential_source: write Environment, EcsContainer or Ec2InstanceMetadata")
        }
      case (nil, nil): throw settings.missing("source_profile or credential_source", beside: "role_arn")
      default: throw settings.invalid("has both source_profile and credential_source: remove one")
      }
      duration = Int(settings["duration_seconds"] ?? "")
      if let text = settings["duration_seconds"], !(900...43_200 ~= Int(text) ?? 0) {
        throw settings.invalid("has a duration_seconds that is not from 900 to 43200: correct it")
      }
    }

    /// Takes the role on.
    ///
    /// - Throws: `permissionDenied` with the code of the token service; errors of sending.
    func credentials(signedBy source: S3Credentials, _ service: TokenService) async throws -> S3Credentials {
      var form = [("RoleArn", role), ("RoleSessionName", session ?? TokenService.sessionName)]
      if let duration { form.append(("DurationSeconds", String(duration))) }
      if let externalID { form.append(("ExternalId", externalID)) }
      return try await service.credentials(
        by: "AssumeRole", form, signedBy: source, what: "give the role of the profile '\(profile)'",
        advice: "check role_arn and external_id, and that the role trusts who takes it on")
    }
  }

#endif
