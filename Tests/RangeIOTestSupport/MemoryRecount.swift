import Synchronization

@testable import RangeIO

/// What a walk through all chunks of a store finds, to be compared with what the store counted on its way. Knows the
/// inside of the store, so that no test needs to.
struct MemoryRecount {
  struct Entry {
    let token: ChunkToken
    let block: Int
    let isPinned: Bool
    let fetchedAt: Int64
    let charge: Int
    /// Within the block.
    let pieces: [PieceList.Piece]
  }

  private(set) var entries: [Entry] = []
  /// What does not add up, in words.
  private(set) var faults: [String] = []

  var bytes: Int { entries.reduce(0) { $0 + $1.charge } }
  var pinnedBytes: Int { entries.reduce(0) { $0 + ($1.isPinned ? $1.charge : 0) } }
  var pinnedBlocks: Int { entries.reduce(0) { $0 + ($1.isPinned ? 1 : 0) } }

  /// Walks through `store`, in which nobody changes anything meanwhile.
  ///
  /// - Parameter isQuiet: whether nothing is reserved or being removed, for which sources are charged too.
  init(_ store: MemoryStore, isQuiet: Bool = true) {
    for shard in 0..<store.shards.count {
      let first = entries.count
      store.shards.withLock(shard) { state in
        var next: Int? = 0
        while let start = next { next = state.scan(from: start) { note(&$0, $1) } }
        let own = entries[first...]
        let count = state.table.count
        if own.count != count { faults.append("shard \(shard) counts \(count) of \(own.count) blocks") }
        let bytes = own.reduce(0) { $0 + $1.charge }
        if bytes != state.bytes { faults.append("shard \(shard) counts \(state.bytes) of \(bytes) bytes") }
        let pinned = own.reduce(0) { $0 + ($1.isPinned ? $1.charge : 0) }
        if pinned != state.pinnedBytes { faults.append("shard \(shard): \(state.pinnedBytes) of \(pinned) pinned") }
        for source in state.sources.all {
          let mine = own.filter { $0.token === source.token }
          if mine.isEmpty || mine.count != source.blocks {
            faults.append("shard \(shard) counts \(source.blocks) of \(mine.count) blocks of a source")
          }
        }
      }
    }
    checkTokens(isQuiet)
    checkMemory()
  }

  private mutating func note(_ state: inout ShardState, _ slot: Int) {
    let note = state.table[slot]
    guard let token = state.sources.all.first(where: { $0.token.number == note.token })?.token else {
      faults.append("a chunk of no source")
      return
    }
    let hash = ChunkTable.hash(token: note.token, block: note.block)
    if state.table.find(token: note.token, block: note.block, hash: hash) != slot {
      faults.append("block \(note.block) cannot be found")
    }
    let entry = Entry(
      token: token, block: note.block, isPinned: note.isPinned, fetchedAt: note.fetchedAt, charge: state.charge(slot),
      pieces: state.pieces(slot))
    if entry.pieces.isEmpty || entry.pieces.count > PieceList.maxCount {
      faults.append("block \(note.block) has \(entry.pieces.count) pieces")
    }
    if entry.charge != MemoryStore.charge(of: entry.pieces) { faults.append("block \(note.block) is charged wrongly") }
    entries.append(entry)
  }

  private mutating func checkTokens(_ isQuiet: Bool) {
    var sums: [ObjectIdentifier: (token: ChunkToken, bytes: Int)] = [:]
    for entry in entries { sums[ObjectIdentifier(entry.token), default: (entry.token, 0)].bytes += entry.charge }
    for (token, bytes) in sums.values {
      let charged = token.chargedBytes
      if isQuiet ? charged != bytes : charged < bytes {
        faults.append("token \(token.number) counts \(charged) of \(bytes) bytes")
      }
    }
  }

  /// Chunks must not share memory, and have no more than they show.
  private mutating func checkMemory() {
    var seen: Set<ObjectIdentifier> = []
    for piece in entries.lazy.flatMap(\.pieces) {
      guard let owner = piece.bytes.owner, seen.insert(ObjectIdentifier(owner)).inserted else {
        faults.append("two chunks share memory")
        return
      }
      if piece.bytes.backingByteCount != piece.bytes.count {
        faults.append("\(piece.bytes.count) bytes hold \(piece.bytes.backingByteCount)")
      }
    }
  }
}

extension MemoryStore {
  /// The shard of a block.
  func shard(of block: Int, _ token: ChunkToken) -> Int {
    shards.index(of: ChunkTable.hash(token: token.number, block: block))
  }
}
