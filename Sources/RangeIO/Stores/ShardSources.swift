import Synchronization

/// The sources that have chunks in a shard, by token number.
///
/// Consecutive chunks usually belong to the same source, so the last source is remembered and found without hashing.
struct ShardSources {
  /// The number of chunks of one token in this shard.
  struct Source {
    let token: ChunkToken
    var blocks = 0
  }

  private var places: [UInt64: Int] = [:]
  private var sources: [Source] = []
  private var last = 0

  /// The token with this number, which has chunks here.
  mutating func token(_ number: UInt64) -> ChunkToken {
    find(number)
    return sources[last].token
  }

  func contains(_ number: UInt64) -> Bool { places[number] != nil }

  private mutating func find(_ number: UInt64) {
    if last < sources.count, sources[last].token.number == number { return }
    last = places[number]!
  }

  mutating func add(_ token: ChunkToken) {
    if last >= sources.count || sources[last].token !== token {
      if let place = places[token.number] {
        last = place
      } else {
        last = sources.count
        places[token.number] = last
        sources.append(Source(token: token))
      }
    }
    sources[last].blocks += 1
  }

  /// Counts a removed chunk. Removes the source with its last chunk.
  mutating func remove(_ number: UInt64) {
    find(number)
    sources[last].blocks -= 1
    guard sources[last].blocks == 0 else { return }
    places[number] = nil
    let moved = sources.removeLast()
    if last < sources.count {
      sources[last] = moved
      places[moved.token.number] = last
    }
  }

  /// Every source, to compare with a recount.
  var all: [Source] { sources }
}
