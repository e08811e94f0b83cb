#if Azure
  internal import RangeIO

  /// What lets a request read: one of the three ways of the Blob service.
  enum BlobAccess: Hashable, Sendable {
    case key(SharedKey)
    case sas(SASQuery)
    case token(AzureToken)

    /// When it ends, in seconds since 1970; `nil` for what does not end by itself.
    var expiry: Int? {
      switch self {
      case .key: nil
      case .sas(let query): query.expiry
      case .token(let token): token.expiry
      }
    }
  }

  extension BlobAccess: CustomStringConvertible, CustomReflectable {
    /// The kind; never a secret.
    var description: String {
      switch self {
      case .key(let key): "\(key)"
      case .sas(let query): "\(query)"
      case .token(let token): "\(token)"
      }
    }

    /// Shows no more than ``description``.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
