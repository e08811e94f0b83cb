import RangeIO

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Says what is wrong, and ends the program.
func check(_ isRight: Bool, _ words: String) {
  guard !isRight else { return }
  print("wrong: \(words)")
  exit(1)
}

/// How long `body` takes.
func time(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = ContinuousClock.now
  try await body()
  return ContinuousClock.now - start
}

let archive = SlowArchive()
let store = MemoryStore(limit: .mebibytes(1))
let reader = try await RangeReader(archive, [.caching(store, blockSize: .kibibytes(16))])

// A hundred tasks want the same bytes, of which nothing is here: one read of the archive.
try await withThrowingTaskGroup(of: Bytes.self) { group in
  for _ in 0..<100 { group.addTask { try await reader.read(1000..<9000) } }
  for try await bytes in group { check(bytes == SlowArchive.contents(1000..<9000), "the bytes of a hundred tasks") }
}
print("100 tasks, \(archive.reads) read of the archive, \(archive.bytes) bytes")
check(archive.reads == 1, "more than one read")

// Again, and a part of it: no read of the archive.
let again = try await time { for _ in 0..<1000 { _ = try await reader.read(2000..<6000) } }
print("then 1,000 reads from memory in \(again)")
check(archive.reads == 1, "a hit read the archive")

// The header must stay, whatever else is read.
try store.pin(0..<1024, of: reader.source)
try store.setMetadata(Bytes("parsed: 12 tables".utf8), of: reader.source)
for lower in stride(from: 0, to: archive.byteCount, by: 65_536) {
  let range = lower..<lower + 65_536
  check(try await reader.read(range) == SlowArchive.contents(range), "the bytes at \(lower)")
}
check(store.contains(0..<1024, of: reader.source), "the header was evicted")
check(store.metadata(of: reader.source)?.count == 17, "metadata was lost")
let counts = store.statistics()[0]
print(counts)
check(counts["peakBytes"]! <= counts.limit!, "more than the limit was held")

// What one read may do: past the cache, or from the cache alone.
let reads = archive.reads
_ = try await reader.read(0..<1024, caching: .bypass)
check(archive.reads == reads + 1, "bypass asked the cache")
_ = try await reader.read(0..<1024, caching: .onlyIfCached)
do {
  _ = try await reader.read(2_000_000..<2_500_000, caching: .onlyIfCached)
  check(false, "more is there than fits")
} catch let error as ReadError where error.code == .notCached {
  print(
    "not in the cache: \(reader.byteCount - store.cachedRanges(of: reader.source).reduce(0) { $0 + $1.count }) bytes")
}

// Removed: nothing of it can be found from here on.
for await progress in store.removeAll() { print("removed \(progress.removedBytes) of \(progress.totalBytes) bytes") }
check(store.cachedRanges().isEmpty && store.statistics()[0]["blocks"] == 0, "something is left")
await reader.close()
