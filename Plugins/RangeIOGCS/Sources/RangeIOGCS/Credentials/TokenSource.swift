#if GCS
  internal import RangeIOSupport

  /// What tokens come from: an account, a login, another identity.
  protocol TokenSource: Sendable {
    /// A new token that permits `scope`. Asks servers, and reads files, of `places`.
    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken
  }

  /// What a token permits.
  enum TokenScope: String, Sendable {
    /// To read objects.
    case reading = "https://www.googleapis.com/auth/devstorage.read_only"
    /// All that the account may do: to get a token of another account.
    case platform = "https://www.googleapis.com/auth/cloud-platform"
  }

#endif
