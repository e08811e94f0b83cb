#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The credentials service of a container, in ECS and in EKS (Pod Identity): a URL and a token in the environment.
  struct ContainerCredentials: Equatable, Sendable {
    var url: String

    /// The addresses that may be asked without TLS, besides those of the machine itself: the services of ECS and EKS.
    private static let knownHosts = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]

    /// The service that the environment names; `nil` if there is none.
    ///
    /// - Throws: `invalidConfiguration` for a URL without TLS of another machine, to which the token would go in the
    ///   clear.
    init?(_ places: CredentialPlaces) throws(ReadError) {
      if let path = places.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
        guard path.hasPrefix("/") else {
          throw ReadError(
            .invalidConfiguration, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash: correct it")
        }
        url = "http://169.254.170.2" + path
        return
      }
      guard let full = places.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
      url = full
      // By the parser that the request is made with: another one might find another host.
      // `try?`: what is no URL is refused below.
      let parsed = try? ObjectURL(full)
      if parsed?.scheme == .https { return }
      guard let parsed, parsed.user == nil, parsed.isLoopback || Self.knownHosts.contains(parsed.host) else {
        throw ReadError(
          .invalidConfiguration,
          "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of this machine: correct it")
      }
    }

    /// Asks the service.
    func credentials(_ places: CredentialPlaces) async throws -> S3Credentials {
      var token = places.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN")
      if let path = places.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        // Read anew for each fetch: the token is replaced from time to time.
        guard let text = try await places.file(places.path(path)) else {
          throw ReadError(
            .notFound, "there is no file of the container's token: check AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            source: path)
        }
        token = text
      }
      token = token.map { $0.filter { !$0.isNewline } }
      let answer = try await places.send(
        CredentialPlaces.Request(
          url: url, fields: token.map { HeaderFields(["Authorization": $0]) } ?? HeaderFields(), timeout: .seconds(2),
          isLocal: true))
      guard answer.status == 200 else {
        throw ReadError(
          .permissionDenied,
          "the container's credentials service answered with status \(answer.status): check the task's role",
          isTransient: answer.status == 429 || answer.status >= 500)
      }
      return try CredentialsDocument.credentials(answer.body, from: "the container's credentials service")
    }
  }

#endif
