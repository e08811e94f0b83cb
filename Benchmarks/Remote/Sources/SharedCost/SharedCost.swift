internal import Cost
internal import RangeIO
internal import RangeIOSharedCache

/// `SharedCost memcached|redis stage|store PORT SIZE COUNT [TASKS]`
///
/// Fills an engine on this machine with the blocks of an object, reads COUNT of them through a new client, and prints what one
/// has cost: microseconds of wall, of the processor, and megabytes a second. `stage` reads by `RangeReader` and
/// `.sharedCaching`, `store` asks the engine's client and believes it.
@main enum SharedCost {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 5, let port = Int(arguments[2]), let size = Int(arguments[3]), size >= 4096,
      let count = Int(arguments[4]), count > 0, let filling = try engine(arguments[0], port),
      let reading = try engine(arguments[0], port)
    else { return print("usage: SharedCost memcached|redis stage|store PORT SIZE COUNT [TASKS]") }
    let tasks = arguments.count > 5 ? Int(arguments[5]) ?? 32 : 32
    let byteCount = 64 << 20
    let work = RangeWork(size: size, byteCount: byteCount, tasks: tasks)
    let source = NumberedObject(byteCount: byteCount)
    let contender: any Contender
    if arguments[1] == "store" {
      try await StoreAlone(store: filling, size: size).fill(byteCount)
      contender = StoreAlone(store: reading, size: size)
    } else {
      // Blocks are put there by being read.
      let first = try await StageAndReader(NumberedObject(byteCount: byteCount), filling, size: size)
      for start in stride(from: 0, to: byteCount, by: size) { try await first.read(start..<start + size) }
      try await first.close()
      contender = try await StageAndReader(source, reading, size: size)
    }
    // Connections and pages are made by the first reads.
    _ = try await work.run(max(tasks * 4, count / 10), contender)
    let cost = try await work.run(count, contender)
    print(cost.line, "misses", source.readCount)
    try await contender.close()
  }

  private static func engine(_ name: String, _ port: Int) throws -> (any SharedCacheEngine)? {
    switch name {
    case "memcached": try SharedCacheNodes(.memcached, [.host("127.0.0.1", port: port)])
    case "redis": try SharedCacheNodes(.redis, [.host("127.0.0.1", port: port)])
    default: nil
    }
  }
}
