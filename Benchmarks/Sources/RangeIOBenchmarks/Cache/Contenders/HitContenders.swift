import Foundation
import RangeIO

/// Who reads what is in memory: the library's cache, other things that hold blocks, and readers of a resident file.
enum HitContenders {
  /// Beyond this only the simplest peer takes part: filling the others would take longer than all the rest.
  private static let mostForPeers = 100_000

  static func make(
    _ cells: [Cell], _ file: BenchmarkFile?, in directory: URL, _ progress: Progress
  ) async throws -> [Contender] {
    let sizes = Set(cells.compactMap(\.storedBlocks)).sorted()
    var stores: [Int: FilledStore] = [:]
    for size in sizes {
      progress.show("filling stores: \(size) blocks")
      stores[size] = try await .filled(size)
    }
    var contenders = try await cached(stores)
    contenders += try await byStages(cells, stores) + bySharing(cells, stores)
    // What is verified to be resident is verified for hits only.
    let isHit: @Sendable (Cell) -> Bool = { if case .hits = $0.topic { true } else { false } }
    let hitSizes = Set(cells.filter(isHit).compactMap(\.storedBlocks)).sorted()
    guard let file, !hitSizes.isEmpty else { return contenders }
    contenders += try CPeers(file).contenders.filter { $0.name == .cBare }.map { $0.only(where: isHit) }
    contenders.append(try await NIOFileSystemPeer.contender(file).only(where: isHit))
    progress.show("filling the peers' stores")
    return try contenders + holders(hitSizes, in: directory).map { $0.only(where: isHit) }
  }

  // MARK: the library

  /// With two stages above the cache.
  private static func cached(_ stores: [Int: FilledStore]) async throws -> [Contender] {
    var variants: [Int: Variant] = [:]
    var readers: [CachedReader] = []
    for (size, store) in stores {
      let reader = try await store.reader(under: 2)
      readers.append(reader)
      variants[size] = CachedReader.variant("2 stages above", [reader], mustHit: true)
    }
    return [
      Contender(
        name: .rangeIO, variants: { [variants] cell in cell.storedBlocks.flatMap { variants[$0] }.map { [$0] } ?? [] },
        close: { [readers] in for reader in readers { await reader.reader.close() } })
    ]
  }

  private static func byStages(_ cells: [Cell], _ stores: [Int: FilledStore]) async throws -> [Contender] {
    guard let cell = cells.first(where: { $0.topic == .stages }), let size = cell.storedBlocks, let store = stores[size]
    else { return [] }
    let names: [(Contender.Name, Int)] = [
      (.noStages, 0), (.oneStage, 1), (.threeStages, 3), (.fourStages, 4), (.fiveStages, 5), (.fiveReadyStages, 5),
    ]
    var contenders: [Contender] = []
    for (name, count) in names {
      let reader = try await store.reader(under: count, areReady: name == .fiveReadyStages)
      let variant = CachedReader.variant("\(count) above", [reader], mustHit: true)
      contenders.append(Contender(name, for: .stages, variant) { await reader.reader.close() })
    }
    return contenders
  }

  /// Two tasks that share less than those of the row before: only the store, or nothing.
  private static func bySharing(_ cells: [Cell], _ stores: [Int: FilledStore]) async throws -> [Contender] {
    guard let cell = cells.first(where: { $0.topic == .sharing }), let size = cell.storedBlocks,
      let store = stores[size]
    else { return [] }
    let other = try await FilledStore.filled(size)
    let ownReaders = [try await store.reader(under: 2), try await store.reader(under: 2)]
    let ownStores = [try await store.reader(under: 2), try await other.reader(under: 2)]
    return [(Contender.Name.readerEach, ownReaders), (.storeEach, ownStores)].map { name, readers in
      Contender(name, for: .sharing, CachedReader.variant("2 stages above", readers, mustHit: true)) {
        for reader in readers { await reader.reader.close() }
      }
    }
  }

  // MARK: others that hold blocks

  private static func holders(_ sizes: [Int], in directory: URL) throws -> [Contender] {
    let blocks = ResidentBlocks(sizes.max() ?? 0)
    let smaller = sizes.filter { $0 <= mostForPeers }
    let dictionaries = table(sizes) { DictionaryPeer(blocks.first($0)) }
    let caches = table(smaller) { NSCachePeer(blocks.first($0)) }
    let arrays = table(smaller) { SortedChunksPeer(blocks.first($0)) }
    let database = try SQLitePeer.database(smaller, of: blocks, in: directory)
    return [
      Contender(name: .actorDictionary) { cell in cell.stored(in: dictionaries).map { [$0.variant()] } ?? [] },
      Contender(
        name: .nsCache, variants: { cell in cell.stored(in: caches).map { [$0.variant()] } ?? [] },
        close: { for cache in caches.values { cache.close() } }),
      // One at a time: it waits at its lock for as long as a search takes.
      Contender(name: .sortedChunks) { cell in
        guard case .reads(_, concurrency: 1) = cell.workload else { return [] }
        return cell.stored(in: arrays).map { [$0.variant()] } ?? []
      },
      Contender(
        name: .sqlite,
        variants: { cell in
          cell.storedBlocks.map { smaller.contains($0) ? SQLitePeer.variants(database, $0) : [] } ?? []
        }, close: { try database.close() }),
    ]
  }

  private static func table<Peer>(_ sizes: [Int], _ make: (Int) -> Peer) -> [Int: Peer] {
    Dictionary(uniqueKeysWithValues: sizes.map { ($0, make($0)) })
  }
}

extension Cell {
  /// The peer that holds as many blocks as this cell wants.
  fileprivate func stored<Peer>(in peers: [Int: Peer]) -> Peer? { storedBlocks.flatMap { peers[$0] } }
}

extension Contender {
  /// One configuration, in the cells of one topic.
  init(
    _ name: Name, for topic: CacheTopic, _ variant: Variant, close: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.init(name: name, variants: { $0.topic == topic ? [variant] : [] }, close: close)
  }

  /// This, in those cells only.
  func only(where takesPart: @escaping @Sendable (Cell) -> Bool) -> Contender {
    Contender(name: name, variants: { [variants] in takesPart($0) ? variants($0) : [] }, close: close)
  }
}
