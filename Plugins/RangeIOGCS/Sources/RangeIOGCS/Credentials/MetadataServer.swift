#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The metadata server of a machine at Google: Compute Engine, GKE, Cloud Run.
  struct MetadataServer: TokenSource {
    private let host: String
    /// `GCE_METADATA_HOST` names it, so it must be there.
    private let isNamed: Bool
    /// It must be there: the user says so, or it has given a token.
    private let isExpected: Bool

    private static let path = "/computeMetadata/v1/instance/service-accounts/default/token"
    /// Elsewhere nothing answers at its address.
    private static let timeout = Duration.seconds(3)

    /// `nil` if the environment says that there is none.
    init?(_ places: CredentialPlaces, isExpected: Bool) {
      self.isExpected = isExpected
      if places.variable("NO_GCE_CHECK")?.lowercased() == "true" { return nil }
      let named = places.variable("GCE_METADATA_HOST") ?? places.variable("GCE_METADATA_ROOT")
      isNamed = named != nil
      host = named ?? places.variable("GCE_METADATA_IP") ?? "169.254.169.254"
    }

    private struct Answer: Decodable {
      var access_token: String
      var expires_in: WrittenNumber?
    }

    /// - Throws: `ReadError` with `permissionDenied` if there is no such server, or a transient error if it must be there. In a
    ///   new pod of GKE it answers after some seconds.
    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken {
      let sent = places.now()
      guard let answer = try await answer(scope, places) else {
        throw ReadError(
          .permissionDenied,
          "no metadata server of Google answers, so this machine is not one of Google's: set "
            + "GOOGLE_APPLICATION_CREDENTIALS, run gcloud auth application-default login, or ask for anonymous access")
      }
      guard answer.status == 200 else {
        let advice =
          answer.status == 404 ? "the machine has no service account: give it one" : "look at its service account"
        throw ReadError(
          .permissionDenied, "the metadata server answered with status \(answer.status): \(advice)",
          isTransient: answer.status == 429 || answer.status >= 500)
      }
      // `try?`: what cannot be decoded has no token.
      guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer.body)), !decoded.access_token.isEmpty
      else {
        throw ReadError(
          .invalidResponse, "the answer of the metadata server has no access_token: try again", isTransient: true)
      }
      return GCSToken(decoded.access_token, expiry: decoded.expires_in?.value.map { TokenExchange.end(sent, $0) })
    }

    /// The answer; `nil` if what answers, or does not, is no metadata server.
    private func answer(_ scope: TokenScope, _ places: CredentialPlaces) async throws -> CredentialPlaces.Answer? {
      let answer: CredentialPlaces.Answer
      do {
        answer = try await places.send(
          CredentialPlaces.Request(
            url: "http://\(host)\(Self.path)?scopes=\(ObjectURL.encodedQuery(scope.rawValue))",
            fields: HeaderFields(["Metadata-Flavor": "Google"]), timeout: Self.timeout, isLocal: true))
      } catch let error as ReadError where ![.closed, .invalidConfiguration].contains(error.code) && !isNamed {
        guard isExpected else { return nil }
        throw ReadError(.inputOutput, "the metadata server of Google does not answer: try again", isTransient: true)
      }
      let isGoogle = answer.fields["metadata-flavor"] == "Google"
      if !isGoogle, isNamed {
        throw ReadError(
          .invalidResponse,
          "what GCE_METADATA_HOST names is no metadata server: its answer lacks Metadata-Flavor: Google")
      }
      return isGoogle ? answer : nil
    }
  }

#endif
