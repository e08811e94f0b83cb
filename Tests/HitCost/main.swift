// Does one thing so often that only that counts: `HitCost hit 10000 DIRECTORY`, which reads 4 KiB 10,000 times. What
// scripts/check-hit-cost.sh counts the instructions of. What needs files makes them in the directory.
import Dispatch
import RangeIO
import RangeIOTiers
import Synchronization
import SystemPackage

/// A source without end, which begins again and again with the same MiB.
final class EndlessSource: RangeSource {
  let reads = Atomic<Int>(0)
  private let block = Bytes([UInt8](repeating: 42, count: 1 << 20))

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "endless", validator: nil, byteCount: 1 << 40, preferredBlockSize: .kibibytes(4))
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

/// Streams `count` MiB.
func stream(_ count: Int, by reader: RangeReader) async throws {
  var total = 0
  for try await piece in reader.stream(0..<count << 20) { total += piece.count }
  guard total == count << 20 else { fatalError("short") }
}

/// Sleeps for a third of a second, on this thread.
func rest() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(333)) }

/// Reads 4 KiB of a file that is in the page cache, without a cache of ours.
func readFile(_ count: Int, in directory: String) async throws {
  let path = directory + "/file"
  let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .create, permissions: .ownerReadWrite)
  try file.closeAfter { _ = try file.writeAll([UInt8](repeating: 42, count: 64 * 4096)) }
  // A file that was written a moment ago is looked at before each read.
  rest()
  let reader = try await RangeReader(path, cache: nil)
  try await read(count, of: 64, by: reader)
  await reader.close()
}

/// The one version of what is spilled.
struct Spilled: SourceDescription.Validator {
  var persistentForm: [UInt8]? { [1] }
  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .same }
}

/// Writes `count` blocks of 4 KiB to a disk tier, 64 at a time.
func spill(_ count: Int, in directory: String, on background: BackgroundWork) async throws {
  var configuration = SpillStore.Configuration(directory: directory + "/spill-\(count)", limit: .mebibytes(64))
  configuration.codec = IdentityCodec()
  configuration.keepsFastSources = true
  configuration.keepsFirstReads = true
  configuration.freeSpaceFloor = .bytes(0)
  configuration.background = background
  configuration.work = .tasks(background)
  let store = try await SpillStore.open(configuration)
  let source = SourceDescription(
    id: "spilled", validator: Spilled(), byteCount: 1 << 40, preferredBlockSize: .kibibytes(4))
  let (token, _) = store.sources.token(for: source, grid: BlockGrid(blockSize: 4096)!, reading: true)
  let bytes = Bytes([UInt8](repeating: 42, count: 4096))
  for number in 0..<count {
    let piece = RangedBytes(number * 4096..<(number + 1) * 4096, bytes)
    guard store.insertDemoted(Chunk(ticket: token.ticket(fetchedAt: store.now), block: number, piece: piece)) else {
      fatalError("refused")
    }
    if number % 64 == 63 { try await store.flush() }
  }
  try await store.close()
}

let arguments = CommandLine.arguments
let cases = ["hit", "hit-under-stages", "cached", "cached-under-limit", "miss", "read", "stream", "spill"]
guard arguments.count == 4, cases.contains(arguments[1]), let count = Int(arguments[2]), count > 0 else {
  fatalError("HitCost \(cases.joined(separator: "|")) COUNT DIRECTORY")
}
let what = arguments[1]
let executor = OneThread()
executor.run {
  let background = BackgroundWork(executor: executor)
  if what == "read" { return try await readFile(count, in: arguments[3]) }
  if what == "spill" { return try await spill(count, in: arguments[3], on: background) }
  var configuration = MemoryStore.Configuration(limit: .kibibytes(512))
  configuration.background = background
  let store = MemoryStore(configuration)
  let source = EndlessSource()
  let idle: ReadPipeline = what == "hit-under-stages" ? [.stage(Idle()), .stage(Idle())] : []
  let reader = try await RangeReader(
    source,
    [
      idle, what == "cached-under-limit" ? .timeLimit(.seconds(3600)) : [],
      .caching(store, fill: .exact, blockSize: .kibibytes(4)),
    ], configuration: .init(background: background))
  if what == "stream" {
    try await stream(count, by: reader)
    return await reader.close()
  }
  if what == "miss" {
    // The store is full by then: each read evicts a block.
    try await read(200, of: 200, by: reader)
    try await read(count, of: count, from: 200, by: reader)
  } else {
    try await read(64, of: 64, by: reader)
    if what.hasPrefix("cached") { take(count, of: 64, from: reader) } else { try await read(count, of: 64, by: reader) }
  }
  let expected = what == "miss" ? 200 + count : 64
  let actual = source.reads.load(ordering: .relaxed)
  guard actual == expected else { fatalError("\(actual) reads of the source, not \(expected)") }
  await reader.close()
}
