#if Azure

  /// A token of Microsoft Entra ID for Azure Storage (`https://storage.azure.com/`).
  public struct AzureToken: Hashable, Sendable {
    /// What goes into `Authorization` after `Bearer`. A secret.
    let text: String
    /// When it ends, in seconds since 1970; `nil` if that is not known.
    public let expiry: Int?

    /// A token.
    ///
    /// - Parameters:
    ///   - text: without `Bearer`.
    ///   - expiry: when it ends, in seconds since 1970. Another is fetched five minutes before.
    public init(_ text: String, expiry: Int? = nil) {
      self.text = text
      self.expiry = expiry
    }
  }

  extension AzureToken: CustomStringConvertible, CustomReflectable {
    /// Never the token.
    public var description: String { "AzureToken" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

#endif
