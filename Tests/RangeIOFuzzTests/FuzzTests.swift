import Foundation
import Testing

/// What takes bytes of strangers, fed with inputs that were found to be hard, and with mutations of them by a seed.
/// `scripts/fuzz.sh` looks for more with libFuzzer.
struct FuzzTests {
  /// A part of the mutations of one target.
  struct Share: CustomTestStringConvertible, Sendable {
    let target: String
    /// How many: about a fifth of a second.
    let mutations: Int
    var testDescription: String { target }
  }

  private static let shares = FuzzTargets.all.map { target in
    let costly = ["segments": 200, "tiers": 40]
    return Share(target: target.name, mutations: costly[target.name] ?? 4000)
  }

  @Test func `each target has a name of its own`() {
    #expect(Set(FuzzTargets.all.map(\.name)).count == FuzzTargets.all.count)
  }

  @Test(arguments: [false, true])
  func `a segment that is made here is served, sums repaired or not`(isSealed: Bool) throws {
    let segment = ForgedSegment.written(isSealed: isSealed)
    // All but the two that a tombstone removes.
    for bytes in [segment, ForgedSegment.repaired(segment)] { #expect(try ForgedSegment(bytes).served() == 16) }
  }

  @Test(arguments: shares)
  func `a target keeps its promises`(share: Share) throws {
    let target = try #require(FuzzTargets.named(share.target))
    let corpus = Self.corpus(of: target.name)
    for input in target.seeds + corpus.values { try Self.run(target, input) }
    let seed = ProcessInfo.processInfo.environment["RANGEIO_SEED"].flatMap { UInt64($0) } ?? 1
    let times = ProcessInfo.processInfo.environment["RANGEIO_FUZZ_TIMES"].flatMap { Int($0) } ?? 1
    var mutator = FuzzMutator(target, corpus: Array(corpus.values), seed: seed)
    for _ in 0..<share.mutations * times { try Self.run(target, mutator.next()) }
  }

  /// Names the input that breaks a promise. One that traps is noted before, where `RANGEIO_FUZZ_LAST` says.
  private static func run(_ target: FuzzTarget, _ input: [UInt8]) throws {
    if let path = ProcessInfo.processInfo.environment["RANGEIO_FUZZ_LAST"] {
      try Data(input).write(to: URL(fileURLWithPath: path))
    }
    do { try target.run(input) } catch {
      Issue.record("\(target.name): \(error); the input in Base64: \(Data(input.prefix(4096)).base64EncodedString())")
      throw error
    }
  }

  /// The files of `Corpora/TARGET`, by name.
  private static func corpus(of target: String) -> [String: [UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpora/\(target)")
    // `try?`: most targets have none.
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return Dictionary(
      uniqueKeysWithValues: files.compactMap { file in
        // `try?`: a folder is no input.
        (try? Data(contentsOf: file)).map { (file.lastPathComponent, Array($0)) }
      })
  }
}
