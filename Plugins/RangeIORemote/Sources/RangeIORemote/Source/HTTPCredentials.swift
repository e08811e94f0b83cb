/// Who may read an object. Sources that get the same value share what its provider gave.
///
/// ```swift
/// var configuration = RemoteConfiguration()
/// configuration.credentials = HTTPCredentials { refused in .bearer(try await tokens.fresh(not: refused)) }
/// ```
///
/// Credentials go to the origin of the URL only, never to where it redirects.
public struct HTTPCredentials: Sendable {
  let store: CredentialStore

  /// One value of `Authorization`.
  public struct Value: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let header: String

    /// A user and a password (RFC 7617).
    public static func basic(user: String, password: String) -> Value {
      Value(header: CredentialStore.basic(user: user, password: password))
    }

    /// A token (RFC 6750).
    public static func bearer(_ token: String) -> Value { Value(header: "Bearer " + token) }

    /// The whole value of the header, for any other scheme.
    public static func header(_ value: String) -> Value { Value(header: value) }

    /// The scheme; never the secret.
    public var description: String { "\(header.prefix { $0 != " " }) …" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// Credentials from a provider. It is asked before the first request, and again when the server has refused a value
  /// with 401: by each read once, and again after 16 KiB of progress. However many reads wait, it is asked once at a time.
  ///
  /// - Parameter provider: gets the value that was refused, or `nil` at first. Returns a value; `nil` for none, or if
  ///   there is no other: the read then throws `permissionDenied`. What it throws is thrown by all reads that wait. If
  ///   none waits any more, its task is cancelled. If it has not returned after 90 seconds, the next read gives it up, and
  ///   asks again for all that wait.
  public init(_ provider: @escaping @Sendable (_ refused: Value?) async throws -> Value?) {
    store = CredentialStore { refused in try await provider(refused.map { Value(header: $0) })?.header }
  }

  /// One value that never changes.
  public init(_ value: Value) { store = CredentialStore(fixed: value.header) }

  /// A user and a password.
  public static func basic(user: String, password: String) -> HTTPCredentials {
    HTTPCredentials(.basic(user: user, password: password))
  }

  /// A token.
  public static func bearer(_ token: String) -> HTTPCredentials { HTTPCredentials(.bearer(token)) }
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
  /// Shows no secret.
  public var description: String { "HTTPCredentials" }

  /// Shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
