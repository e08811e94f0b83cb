#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import HTTPTypes
  internal import NIOCore
  internal import RangeIO
  internal import RangeIOSupport

  /// Tells who asks, by a name and a password (RFC 7617).
  ///
  /// A password costs milliseconds, so that guessing does. Those that were right are known from then on by a digest with a key of
  /// this process.
  final class Authenticator: Sendable {
    private let users: [ServedName: PasswordHash]
    private let nobody: PasswordHash
    private let known = Locked<[[UInt8]: String]>([:])
    /// The checks under way, by the digest of what is checked: a client that begins with many requests costs one.
    private let checks = SharedWork<[UInt8], String?>()
    /// The requests that wait for a check.
    private let waiting = Locked(Waiting())
    private let maxWaiting: Int
    private let key = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
    /// Guesses take no more of the processor than this.
    private let threads = IOThreads(limit: 2)

    private struct Waiting {
      var all = 0
      /// Those of each client, by its address.
      var ofClient: [String: Int] = [:]
    }

    private static let maxKnown = 1024
    /// One client's guesses leave room for the passwords of others: these wait for some tenths of a second at most.
    static let maxWaitingOfClient = 64

    /// Too many requests wait for a check.
    struct IsBusy: Error {}

    /// - Parameter maxWaiting: the most requests that wait for a check. Each counts as an answer under way, and more of them would
    ///   leave no room for the answers to those who are known.
    init(_ users: [String: PasswordHash], maxWaiting: Int) {
      self.users = Dictionary(uniqueKeysWithValues: users.map { (ServedName($0.key), $0.value) })
      nobody = .ofNobody(besides: users.values)
      self.maxWaiting = maxWaiting
    }

    /// `false` if everyone may ask.
    var isNeeded: Bool { !users.isEmpty }

    /// The user whose password was found to be right before.
    func knownUser(_ head: HTTPRequest) -> String? {
      guard let field = head.headerFields[.authorization] else { return nil }
      let digest = digest(field)
      return known.withLock { $0[digest] }
    }

    private func digest(_ field: String) -> [UInt8] { SHA256.digest(of: key + Array(field.utf8)) }

    /// The user who asks; `nil` if there is none, or the password is wrong.
    ///
    /// - Throws: ``IsBusy``; `CancellationError`.
    func user(_ head: HTTPRequest, of client: String) async throws -> String? {
      if let user = knownUser(head) { return user }
      guard let field = head.headerFields[.authorization], let (name, password) = Self.credentials(field) else {
        return nil
      }
      let mayWait = waiting.withLock { waiting in
        guard waiting.all < maxWaiting, waiting.ofClient[client, default: 0] < Self.maxWaitingOfClient else {
          return false
        }
        waiting.all += 1
        waiting.ofClient[client, default: 0] += 1
        return true
      }
      guard mayWait else { throw IsBusy() }
      defer {
        waiting.withLock { waiting in
          waiting.all -= 1
          let left = waiting.ofClient[client, default: 1] - 1
          waiting.ofClient[client] = left > 0 ? left : nil
        }
      }
      let digest = digest(field)
      return try await checks.value(for: digest) { [self] in
        // The check before may have ended since.
        if let user = known.withLock({ $0[digest] }) { return user }
        let hash = users[name]
        let isRight = try await threads.value { [nobody] _ in (hash ?? nobody).matches(password) }
        guard isRight, hash != nil else { return nil }
        known.withLock { known in
          if known.count >= Self.maxKnown { known = [:] }
          known[digest] = name.description
        }
        return name.description
      }
    }

    /// The name and the password of `Basic dXNlcjpwYXNz`.
    private static func credentials(_ field: String) -> (name: ServedName, password: [UInt8])? {
      let words = field.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count == 2, words[0].lowercased() == "basic", let text = Data(base64Encoded: String(words[1])),
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
      else { return nil }
      return (ServedName(bytes: text[..<colon]), Array(text[(colon + 1)...]))
    }

    /// What is answered to those whom it does not know.
    static var challenge: Answer {
      .line(.unauthorized, [.wwwAuthenticate: "Basic realm=\"rangeio\", charset=\"UTF-8\"", .cacheControl: "no-store"])
    }
  }

  extension RangeServer.Configuration {
    /// - Parameter addresses: where it listens.
    /// - Throws: `ReadError` if passwords would cross a network that others can read.
    func checkUsers(at addresses: [SocketAddress?]) throws(ReadError) {
      guard !users.isEmpty, certificate == nil, !addresses.allSatisfy({ $0?.isOfThisMachine ?? false }) else { return }
      throw ReadError(
        .invalidConfiguration,
        "passwords would cross the network in the clear: add a certificate for TLS, or listen to 127.0.0.1 or a unix socket, with "
          + "a proxy before it that has one")
    }
  }
#endif
