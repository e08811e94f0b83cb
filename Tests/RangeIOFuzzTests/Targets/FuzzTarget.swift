/// Something that takes bytes of strangers. A program of libFuzzer calls it (`scripts/fuzz.sh`), and so do the tests.
struct FuzzTarget: Sendable {
  let name: String
  /// What mutations begin with. A corpus in `Corpora` may have more.
  let seeds: [[UInt8]]
  /// What mutations put in.
  let words: [String]
  /// Throws ``FuzzFailure`` if a promise is broken. Must not trap, hang, or take more memory than the bytes allow.
  let run: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String, seeds: [[UInt8]], words: [String] = [], _ run: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    (self.name, self.seeds, self.words, self.run) = (name, seeds, words, run)
  }

  /// A target of texts.
  init(
    _ name: String, texts: [String], words: [String] = [], _ run: @escaping @Sendable (String) throws -> Void
  ) {
    self.init(name, seeds: texts.map { Array($0.utf8) }, words: words) { try run(String(decoding: $0, as: UTF8.self)) }
  }
}

/// A promise that an input has shown to be broken.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String
}

/// Throws if `condition` is false.
func promise(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw FuzzFailure(description: what()) }
}

/// Takes decisions out of bytes. At their end all are zero.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  /// Any number that is not negative, those at the ends of what numbers can be more often than others.
  mutating func number() -> Int {
    let kind = byte()
    switch kind % 4 {
    case 0: return Int(byte())
    case 1: return Int.max - Int(byte())
    case 2: return max(0, 1 << (Int(byte()) % 63) + Int(kind >> 2) - 32)
    default: return Int((0..<8).reduce(UInt64(0)) { number, _ in number << 8 | UInt64(byte()) } >> 1)
    }
  }

  /// The text up to the next line feed.
  mutating func line() -> String {
    let line = rest.prefix { $0 != UInt8(ascii: "\n") }
    rest = rest[line.endIndex...].dropFirst()
    return String(decoding: line, as: UTF8.self)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
