import RangeIO
import RangeIOTiers

#if HTTP
  import RangeIOHTTP
#endif

/// Reads all of a file or an object at full rate, twice, and a few blocks of it again and again, as a program does that
/// chooses no sizes. Prints how many of the repeated reads came from memory. Or does so by 32 tasks at once, a MiB each, of a
/// source as fast as memory and into a store that is larger than the group: `pieces` come as the store wants them, `whole`
/// ones have to be copied.
///
/// Usage: Contained local FILE | remote URL | tiers URL | listening URL | many pieces | many whole | manyTiers whole
@main struct Contained {
  static let block = 65_536

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fatalError("which way, and what?") }
    let (repeated, hits) =
      arguments[1].hasPrefix("many")
      ? try await many(arguments[1], arguments[2]) : try await one(arguments[1], arguments[2])
    print("repeated", repeated, "hits", hits)
  }

  static func one(_ way: String, _ name: String) async throws -> (Int, Int) {
    let reader = try await reader(way, name)
    var (repeated, hits) = (0, 0)
    for _ in 0..<2 {
      for offset in stride(from: 0, through: reader.byteCount - block, by: block) {
        _ = try await reader.read(offset: offset, count: block)
        // Each of four blocks once a MiB.
        guard offset / block % 4 == 0 else { continue }
        let start = offset / block / 4 % 4 * block
        repeated += 1
        if reader.cached(start..<start + block) != nil { hits += 1 }
        _ = try await reader.read(offset: start, count: block)
      }
    }
    await reader.close()
    return (repeated, hits)
  }

  static func many(_ way: String, _ name: String) async throws -> (Int, Int) {
    let source: any RangeSource = name == "pieces" ? Pieces() : Whole()
    let reader =
      way == "manyTiers"
      ? try await RangeReader(
        source, [.caching(TieredStore(memory: .mebibytes(256), compressed: .mebibytes(128)))])
      : try await RangeReader(source, [.caching(MemoryStore(limit: .gibibytes(4)))])
    return try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      let (tasks, size) = (32, 1 << 20)
      for task in 0..<tasks {
        group.addTask {
          var (repeated, hits) = (0, 0)
          for offset in stride(from: task * size, to: Whole.byteCount, by: tasks * size) {
            _ = try await reader.read(offset: offset, count: size)
            let start = repeated % 4 * block
            repeated += 1
            if reader.cached(start..<start + block) != nil { hits += 1 }
            _ = try await reader.read(offset: start, count: block)
          }
          return (repeated, hits)
        }
      }
      return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
  }

  static func reader(_ way: String, _ name: String) async throws -> RangeReader {
    #if HTTP
      if way == "remote" { return try await RangeReader(contentsOf: name) }
      if way == "tiers" || way == "listening" {
        let store = TieredStore(memory: .mebibytes(256), compressed: .mebibytes(128))
        if way == "listening" { store.handleMemoryPressure(from: MemoryPressure.signals()) }
        return try await RangeReader(contentsOf: name, cache: store)
      }
    #endif
    return try await RangeReader(name)
  }
}

/// Makes its bytes as they are asked for.
struct Whole: RangeSource {
  static let byteCount = 1 << 30

  struct Version: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }

  func describe() async throws -> SourceDescription {
    var traits = SourceDescription.Traits()
    traits.cost = .init(latency: .milliseconds(1), bytesPerSecond: 1e9)
    return SourceDescription(
      id: "made", validator: Version(), byteCount: Self.byteCount, preferredBlockSize: .bytes(Contained.block),
      traits: traits)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    Bytes(count: range.count) {
      _ = $0.initializeMemory(as: UInt8.self, repeating: UInt8(range.lowerBound >> 20 & 255))
    }
  }

  func close() async {}
}

/// The same, in pieces as a store keeps them.
struct Pieces: RangeSource {
  func describe() async throws -> SourceDescription { try await Whole().describe() }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await Whole().read(range, of: source)
  }

  func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
    var pieces: [Bytes] = []
    for range in ranges { pieces.append(try await read(range, of: source)) }
    return pieces
  }

  func close() async {}
}
