/// The sources that have chunks in a shard, by token number.
///
/// Consecutive chunks usually belong to the same source, so the last source is remembered and found without hashing.
package struct ShardSources: ~Copyable {
  /// The number of chunks of one token in this shard.
  package struct Source {
    let token: ChunkToken
    let blocks: Int
  }

  /// The table holds one retain on each token.
  private struct Record: BlockRecord {
    var address: UnsafeRawPointer?
    var blocks: UInt32 = 0
    var next: UInt32 = 0

    var token: ChunkToken? { ChunkToken.at(address) }
    var key: UInt64 { token?.number ?? 0 }

    static func hash(_ number: UInt64) -> UInt64 { ChunkToken.hash(number) }
  }

  private var table = BlockTable<Record>(capacity: 16)
  private var last: UInt32 = 0

  package init() {}

  deinit {
    for source in all { Unmanaged.passUnretained(source.token).release() }
  }

  /// The token with this number, which has chunks here.
  package mutating func token(_ number: UInt64) -> ChunkToken {
    find(number)
    return table[last].token!
  }

  /// Charges the token with this number, which has chunks here. Borrows it: all threads would share the count of references.
  package mutating func charge(_ bytes: Int, to number: UInt64) {
    find(number)
    Unmanaged<ChunkToken>.fromOpaque(table[last].address!)._withUnsafeGuaranteedRef { _ = $0.charge(bytes) }
  }

  package func contains(_ number: UInt64) -> Bool { table.first(number, hash: Record.hash(number)) != 0 }

  /// Makes it the last one. Returns `true` if it is here.
  @discardableResult private mutating func find(_ number: UInt64) -> Bool {
    if last == 0 || table[last].key != number { last = table.first(number, hash: Record.hash(number)) }
    return last != 0
  }

  package mutating func add(_ token: ChunkToken) {
    if !find(token.number) {
      let address = Unmanaged.passRetained(token).toOpaque()
      last = table.add(Record(address: address), hash: Record.hash(token.number))
    }
    table[last].blocks += 1
  }

  /// Counts a removed chunk. Removes the source with its last chunk.
  package mutating func remove(_ number: UInt64) {
    find(number)
    table[last].blocks -= 1
    guard table[last].blocks == 0, let token = table[last].token else { return }
    table.remove(last)
    last = 0
    Unmanaged.passUnretained(token).release()
  }

  /// Every source, to compare with a recount.
  package var all: [Source] {
    (1..<max(1, table.slotsUsed)).compactMap { slot in
      let record = table[UInt32(slot)]
      return record.token.map { Source(token: $0, blocks: Int(record.blocks)) }
    }
  }
}
