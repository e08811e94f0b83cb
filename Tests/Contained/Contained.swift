import RangeIO

#if HTTP
  import RangeIOHTTP
#endif

/// Reads all of a file or an object at full rate, twice, and a few blocks of it again and again, as a program does that
/// chooses no sizes. Prints how many of the repeated reads came from memory.
///
/// Usage: Contained local FILE | remote URL | tiers URL | listening URL
@main struct Contained {
  static let block = 65_536

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fatalError("which way, and what?") }
    let reader = try await reader(arguments[1], arguments[2])
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
    print("repeated", repeated, "hits", hits)
  }

  static func reader(_ way: String, _ name: String) async throws -> RangeReader {
    #if HTTP
      if way == "remote" { return try await RangeReader(contentsOf: name) }
      if way == "tiers" || way == "listening" {
        let store = TieredChunkStore(memory: .mebibytes(256), compressed: .mebibytes(128))
        if way == "listening" { store.handleMemoryPressure(from: MemoryPressure.signals()) }
        return try await RangeReader(contentsOf: name, store: store)
      }
    #endif
    return try await RangeReader(name)
  }
}
