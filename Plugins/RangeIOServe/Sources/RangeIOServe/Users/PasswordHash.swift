public import RangeIO
internal import RangeIOSupport

/// The hash of a password, as `htpasswd -n2 NAME` and `openssl passwd -5` make it: SHA-256 in 5,000 rounds or more, with a salt
/// (`$5$…`). The password cannot be told from it.
///
/// - Source: Ulrich Drepper, Unix crypt using SHA-256 and SHA-512, version 0.6 (https://www.akkadia.org/drepper/SHA-crypt.txt).
public struct PasswordHash: Sendable, Hashable {
  package let rounds: Int
  private let salt: [UInt8]
  private let hash: [UInt8]

  /// More cost a second or so for each client.
  private static let maxRounds = 1_000_000
  /// Longer ones match nothing: their hash would cost a client too little, and the server too much.
  package static let maxPasswordBytes = 256

  /// Parses `$5$SALT$HASH` or `$5$rounds=N$SALT$HASH`.
  ///
  /// - Throws: `ReadError` with `invalidConfiguration` for anything else; it does not show `text`.
  public init(_ text: String) throws(ReadError) {
    var parts = text.split(separator: "$", omittingEmptySubsequences: false)[...]
    let unreadable = ReadError(
      .invalidConfiguration,
      "the hash of a password begins with '$5$': make one with 'openssl passwd -5' or 'htpasswd -n2 NAME', and quote it, "
        + "since '$' means something to shells")
    guard parts.count >= 4, parts[0].isEmpty, parts[1] == "5" else { throw unreadable }
    parts = parts.dropFirst(2)
    var rounds = 5000
    if let given = parts.first, given.hasPrefix("rounds=") {
      guard let number = Int(given.dropFirst(7)), number <= Self.maxRounds else {
        throw ReadError(.invalidConfiguration, "a password may be hashed in \(Self.maxRounds) rounds at most")
      }
      rounds = max(1000, number)
      parts = parts.dropFirst()
    }
    guard parts.count == 2, let salt = parts.first, salt.utf8.count <= 16, let hash = parts.last,
      hash.utf8.count == 43, hash.utf8.allSatisfy({ Self.alphabet.contains($0) })
    else { throw unreadable }
    (self.rounds, self.salt, self.hash) = (rounds, Array(salt.utf8), Array(hash.utf8))
  }

  private init(rounds: Int, salt: [UInt8], hash: [UInt8]) {
    (self.rounds, self.salt, self.hash) = (rounds, salt, hash)
  }

  /// Matches no password, and takes as long as the slowest of `others`, so that the time does not tell which names there are.
  package static func ofNobody(besides others: some Sequence<PasswordHash>) -> PasswordHash {
    // The length of the salt costs time as well.
    let slowest = others.max { $0.cost.lexicographicallyPrecedes($1.cost) }
    return PasswordHash(rounds: slowest?.rounds ?? 5000, salt: slowest?.salt ?? Array("nobody".utf8), hash: [])
  }

  /// What a check costs beside the password: the rounds, and the length of the salt.
  package var cost: [Int] { [rounds, salt.count] }

  /// `true` for the password. Takes milliseconds, which do not depend on how much of it is right.
  package func matches(_ password: [UInt8]) -> Bool {
    guard password.count <= Self.maxPasswordBytes else { return false }
    let other = Self.hash(password, salt: salt, rounds: rounds)
    guard other.count == hash.count else { return false }
    return zip(other, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func hash(_ password: [UInt8], salt: [UInt8], rounds: Int) -> [UInt8] {
    let second = SHA256.digest(of: password + salt + password)
    var first = password + salt + repeated(second, password.count)
    var bits = password.count
    while bits > 0 {
      first += bits & 1 == 1 ? second : password
      bits >>= 1
    }
    var digest = SHA256.digest(of: first)
    let ofPassword = SHA256.digest(of: [[UInt8]](repeating: password, count: password.count).flatMap(\.self))
    let p = repeated(ofPassword, password.count)
    let ofSalt = SHA256.digest(of: [[UInt8]](repeating: salt, count: 16 + Int(digest[0])).flatMap(\.self))
    let s = repeated(ofSalt, salt.count)
    for round in 0..<rounds {
      let isOdd = round & 1 == 1
      var message = isOdd ? p : digest
      if round % 3 != 0 { message += s }
      if round % 7 != 0 { message += p }
      message += isOdd ? digest : p
      digest = SHA256.digest(of: message)
    }
    return text(of: digest)
  }

  /// The first `count` bytes of `digest` after itself again and again.
  private static func repeated(_ digest: [UInt8], _ count: Int) -> [UInt8] {
    (0..<count).map { digest[$0 % digest.count] }
  }

  private static let alphabet = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Three bytes in four digits, the lowest first; the bytes in an order of their own.
  private static func text(of digest: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    func add(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ count: Int) {
      var word = Int(a) << 16 | Int(b) << 8 | Int(c)
      for _ in 0..<count {
        text.append(alphabet[word & 63])
        word >>= 6
      }
    }
    var (a, b, c) = (0, 10, 20)
    for _ in 0..<10 {
      add(digest[a], digest[b], digest[c], 4)
      (a, b, c) = (c + 1, a + 1, b + 1)
    }
    add(0, digest[31], digest[30], 3)
    return text
  }
}
