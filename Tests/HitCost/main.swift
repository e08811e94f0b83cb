// Reads 4 KiB, so often that only the reads count: `HitCost hit 10000`. What scripts/check-hit-cost.sh counts the
// instructions of.
import RangeIO
import Synchronization

/// A source without end, which begins again and again with the same 4 KiB.
final class EndlessSource: RangeSource {
  let reads = Atomic<Int>(0)
  private let block = Bytes([UInt8](repeating: 42, count: 4096))

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "endless", validator: nil, byteCount: 1 << 40, preferredBlockSize: 4096)
  }
  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    reads.add(1, ordering: .relaxed)
    return block.slice(0..<range.upperBound - range.lowerBound)
  }
}

/// A stage that does nothing: what stages cost by being there.
struct Idle: ReadStage {
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// Reads `count` blocks, `distinct` of them before the first again, beginning with block `first`.
func read(_ count: Int, of distinct: Int, from first: Int = 0, by reader: RangeReader) async throws {
  for number in 0..<count {
    let start = (first + number % distinct) * 4096
    guard try await reader.read(start..<start + 4096).count == 4096 else { fatalError("short") }
  }
}

/// The same without `await`.
func take(_ count: Int, of distinct: Int, from reader: RangeReader) {
  for number in 0..<count {
    let start = number % distinct * 4096
    guard reader.cached(start..<start + 4096)?.count == 4096 else { fatalError("not there") }
  }
}

let arguments = CommandLine.arguments
let cases = ["hit", "hit-under-stages", "cached", "miss"]
guard arguments.count == 3, cases.contains(arguments[1]), let count = Int(arguments[2]), count > 0 else {
  fatalError("HitCost \(cases.joined(separator: "|")) COUNT")
}
let what = arguments[1]
let executor = OneThread()
executor.run {
  let background = BackgroundWork(executor: executor)
  var configuration = MemoryStore.Configuration(limit: .kibibytes(512))
  configuration.background = background
  let store = MemoryStore(configuration)
  let source = EndlessSource()
  let reader = try await RangeReader(source, background: background) {
    for _ in 0..<(what == "hit-under-stages" ? 2 : 0) { Idle() }
    Caching(store, fill: .exact, blockSize: .kibibytes(4))
  }
  if what == "miss" {
    // The store is full by then: each read evicts a block.
    try await read(200, of: 200, by: reader)
    try await read(count, of: count, from: 200, by: reader)
  } else {
    try await read(64, of: 64, by: reader)
    if what == "cached" { take(count, of: 64, from: reader) } else { try await read(count, of: 64, by: reader) }
  }
  let expected = what == "miss" ? 200 + count : 64
  let actual = source.reads.load(ordering: .relaxed)
  guard actual == expected else { fatalError("\(actual) reads of the source, not \(expected)") }
  await reader.close()
}
