#if Tool
import RangeIOTiers

#if Serve
import RangeIO

#if SharedCache
import RangeIOSharedCache
#endif

/// Where a server keeps bytes: the tiers of this process, and the nodes that several share.
struct ServeStore: Sendable {
  private let tiers: TieredStore
  /// `true` if this process keeps anything.
  private let keeps: Bool
  private let caching: ReadPipeline
  private let sharing: ReadPipeline
  private let closeNodes: @Sendable () async -> Void
  private let countsOfNodes: @Sendable () -> [Counters]
  /// The nodes that cannot be used now, and why.
  let faultsOfNodes: @Sendable () async -> [String]
  private let countsOfSharing: @Sendable () -> Counters?

  init(_ command: ServeCommand) async throws {
    let all =
      try command.memory.map { try Self.size($0, "--memory") }
      ?? SystemMemory.bounded(.mebibytes(256), toPart: 4)
    let compressed = try command.compressed.map { try Self.size($0, "--compressed") } ?? .bytes(all.bytes / 2)
    guard compressed.bytes <= all.bytes else {
      throw ToolFailure.usage(
        "--compressed \(compressed) is a part of --memory, which is \(all): write no more than that")
    }
    // The limits of the tiers add up.
    let memory = ByteCount.bytes(all.bytes - compressed.bytes)
    var disk: DiskConfiguration?
    if let directory = command.spill {
      guard memory.bytes >= 512 << 10 else {
        throw ToolFailure.usage(
          "--memory \(all) without the \(compressed) of --compressed is too little for --spill, since what waits for the "
            + "disk takes a part of it: leave at least 512KiB, as --memory 1MiB does, of which half is compressed")
      }
      disk = DiskConfiguration(
        directory: try PathArgument.path(directory, for: "--spill"),
        limit: try Self.size(command.spillLimit, "--spill-limit"))
      // A server that is killed comes back warm, and two on one machine share the limit.
      disk?.writesOnInsertion = true
      disk?.isShared = true
      disk?.keepsFastSources = command.far
      disk?.onLackOfFreeSpace = { StandardError.line("rangeio: --spill: \(ToolAdvice.translated($0.message))") }
    }
    keeps = all.bytes > 0
    var tiers: TieredStore?
    if let wanted = disk {
      do {
        tiers = try await TieredStore(memory: memory, compressed: compressed, disk: wanted)
      } catch let error as ReadError {
        let reason = "--spill \(command.spill ?? ""): \(error.message)"
        guard !command.requireDisk else { throw ToolFailure(reason) }
        // A cache that cannot be had costs time, and no answer.
        StandardError.line("rangeio: \(reason). Serving without the disk")
        disk = nil
      }
    }
    self.tiers = tiers ?? TieredStore(memory: memory, compressed: compressed)
    // Clients ask for what they want, and read ahead themselves. A disk keeps whole blocks only.
    caching =
      disk == nil
      ? .caching(self.tiers, fill: .exact)
      : .caching(self.tiers, fill: .block, blockSize: .kibibytes(64))
    guard let nodes = command.shared else {
      sharing = []
      closeNodes = {}
      countsOfNodes = { [] }
      faultsOfNodes = { [] }
      countsOfSharing = { nil }
      return
    }
    #if SharedCache
    let engine = try Self.engine(nodes)
    let sharing: ReadPipeline = .sharedCaching(engine)
    self.sharing = sharing
    closeNodes = { await engine.close() }
    countsOfNodes = { engine.statistics() }
    faultsOfNodes = { await engine.faults().map(\.description) }
    countsOfSharing = { sharing.stages[0].statistics() }
    #else
    throw ToolFailure("--shared \(nodes): this rangeio was built without SharedCache: add it to --traits")
    #endif
  }

  /// The stages for an object that is far away.
  func remote(timeLimit: Duration, hedges: Bool) -> ReadPipeline {
    [
      .timeLimit(timeLimit),
      keeps ? [.readAhead(), caching] : [],
      sharing,
      .merging(maxConcurrentSpans: 16),
      .retrying(),
      // The first seeks of a viewer count too.
      hedges ? .hedging(minSamples: 20) : [],
      .limiting(maxConcurrentReads: 16),
    ]
  }

  var statistics: [String: any Encodable & Sendable] {
    // By the names of tiers and counts, which metrics then have in theirs.
    let store = tiers.statistics().map { tier in (tier.name, tier.names.map { ($0, tier[$0] ?? 0) }) }
    var all: [String: any Encodable & Sendable] = [
      "store": Dictionary(uniqueKeysWithValues: store.map { ($0, Dictionary(uniqueKeysWithValues: $1)) }),
      "estimates": tiers.estimates(),
    ]
    let nodes = countsOfNodes()
    if !nodes.isEmpty { all["nodes"] = nodes }
    if let sharing = countsOfSharing() { all["shared"] = sharing }
    return all
  }

  /// Writes what is still to be written, and closes everything.
  func close() async throws {
    await closeNodes()
    try await tiers.close()
  }

  private static func size(_ text: String, _ option: String) throws(ToolFailure) -> ByteCount {
    guard let count = ByteCount(text), count.bytes >= 0 else {
      throw .usage("\(option): '\(text)' is no number of bytes: write 256MiB or 10GB")
    }
    return count
  }
}

#if SharedCache
extension ServeStore {
  private static func engine(_ text: String) throws -> SharedCacheNodes {
    do {
      if text.hasPrefix("memcached://") {
        return try SharedCacheNodes(.memcached, nodes(text.dropFirst(12), port: 11_211))
      }
      if text.hasPrefix("redis://") { return try SharedCacheNodes(.redis, nodes(text.dropFirst(8), port: 6379)) }
    } catch let error as ReadError {
      throw ToolFailure.usage("--shared: \(error.message)")
    }
    throw ToolFailure.usage("--shared: '\(text)' begins with neither memcached:// nor redis://")
  }

  /// Parses `one:11211,two`.
  private static func nodes(_ text: Substring, port: Int) throws(ToolFailure) -> [SharedCacheNode] {
    var nodes: [SharedCacheNode] = []
    for (index, part) in text.split(separator: ",").enumerated() {
      let words = part.split(separator: ":", maxSplits: 1)
      let number = words.count == 1 ? port : Int(words[1]) ?? 0
      guard let host = words.first, !host.contains("/"), !host.contains("@"), (1...65_535).contains(number),
        !part.hasSuffix(":")
      else {
        throw .usage(
          "--shared: node \(index + 1) is no host and port: write cache-1:\(port). Sockets, passwords and TLS are for programs of your own"
        )
      }
      nodes.append(.host(String(host), port: number))
    }
    return nodes
  }
}
#endif
#endif
#endif
