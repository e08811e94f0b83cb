import CSQLite
import Foundation
import RangeIO
import RangeIOTesting
import RangeIOTiers
import Synchronization

/// Stands for a server: each read takes two milliseconds. Its contents depend on its edition.
final class Server: RangeSource {
  struct Edition: SourceDescription.Validator {
    let number: Int
    /// What makes it possible to keep bytes for the next process.
    var persistentForm: [UInt8]? { Array("\(number)".utf8) }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      (newer as? Edition)?.number == number ? .same : .other
    }
  }

  static let byteCount = 1_000_000
  let edition: Int
  private let reads = Atomic<Int>(0)
  var readCount: Int { reads.load(ordering: .relaxed) }

  init(edition: Int) { self.edition = edition }

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "server", validator: Edition(number: edition), byteCount: Self.byteCount)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    reads.wrappingAdd(1, ordering: .relaxed)
    try await Task.sleep(for: .milliseconds(2))
    return contents(range)
  }

  func contents(_ range: ByteRange) -> Bytes {
    Bytes(range.map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3 &+ edition) })
  }
}

func check(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}

/// Reads everything in pieces through `store`, by several tasks, and compares every byte.
///
/// - Returns: how often the server was asked.
func readAll(_ edition: Int, through store: some ChunkStore) async throws -> Int {
  let server = Server(edition: edition)
  let reader = try await RangeReader(server, [.caching(store)])
  try await withThrowingTaskGroup(of: Void.self) { group in
    for task in 0..<4 {
      group.addTask {
        var offset = task * 10_000
        while offset < Server.byteCount {
          let range = offset..<min(offset + 30_000, Server.byteCount)
          check(try await reader.read(range) == server.contents(range), "wrong bytes of \(range)")
          offset += 40_000
        }
      }
    }
    try await group.waitForAll()
  }
  await reader.close()
  return server.readCount
}

let directory = FileManager.default.temporaryDirectory.appendingPathComponent("SQLiteStore-\(UUID())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
func open(
  _ name: String, limit: ByteCount = .mebibytes(4), sources: ChunkSources = ChunkSources(), patience: Int32 = 5000,
  pageLimit: Int? = nil
) throws -> SQLiteStore {
  try SQLiteStore(
    directory.appendingPathComponent(name).path, limit: limit, sources: sources, patience: patience,
    pageLimit: pageLimit)
}
func rowCount(_ name: String) throws -> Int {
  try Database(directory.appendingPathComponent(name).path).rows().count
}

// The contract, as `.caching` relies on it.
for seed in 1...2 as ClosedRange<UInt64> {
  try await StoreConformance.check(seed: seed, settle: { try await ($0 as? SQLiteStore)?.flush() }) { sources, limit in
    try open("contract\(seed)", limit: limit, sources: sources)
  }
}
print("the store fulfils the contract")

// One store after the other on one database, as one process after the other would open it.
do {
  let store = try open("blocks")
  let reads = try await readAll(1, through: store)
  try await store.flush()
  print("the first process asked the server \(reads) times")
  check(reads > 0, "nothing was read")
}
do {
  let reads = try await readAll(1, through: try open("blocks"))
  print("the second process asked it \(reads) times: SQLite had every byte")
  check(reads == 0, "blocks are missing after a restart")
}
do {
  let store = try open("blocks")
  let tiers = TieredStore(MemoryStore(.init(limit: .mebibytes(4)), sources: store.sources), store)
  check(
    tiers.contains(0..<Server.byteCount, of: try await Server(edition: 1).describe()), "it does not say what it has")
  check(try await readAll(1, through: tiers) == 0, "blocks are missing below memory")
  func hits() -> Int { tiers.statistics()["memory"]?.hits ?? 0 }
  let hitsBefore = hits()
  check(try await readAll(1, through: tiers) == 0, "blocks are missing in memory")
  print("below memory, \(hits() - hitsBefore) blocks came from memory the second time")
  check(hits() > hitsBefore, "nothing was promoted")
  // Another version: none of the old bytes.
  check(try await readAll(2, through: tiers) > 0, "another version was served")
  tiers.remove(source: "server")
  try await store.flush()
}
do {
  let reads = try await readAll(1, through: try open("blocks"))
  check(reads > 0, "what was removed came back")
  print("after a removal, a process asked it \(reads) times")
}

// Three processes on one database: a number is used again after the newest rows are gone.
do {
  let first = try open("shared")
  _ = try await readAll(3, through: first)
  try await first.flush()
  let second = try open("shared")
  second.remove(source: "server")
  try await second.flush()
  let third = try open("shared")
  _ = try await readAll(4, through: third)
  try await third.flush()
  _ = try await readAll(3, through: first)
  _ = try await readAll(4, through: third)
  _ = try await readAll(3, through: try open("shared"))
  print("three processes on one database had the right bytes")
}

// A full database: what does not fit is read again, and what fits later is kept.
do {
  // 256 KiB, for a few of the sixteen blocks.
  let store = try open("full", pageLimit: 64)
  for edition in 1...2 {
    for _ in 0..<2 {
      check(try await readAll(edition, through: store) > 0, "all of it is there")
      try await store.flush()
      let count = try rowCount("full")
      check(1..<16 ~= count, "\(count) blocks are kept")
    }
    store.remove(source: "server")
    try await store.flush()
    check(try rowCount("full") == 0, "a removal left blocks")
  }
  // A process that may use more.
  let larger = try open("full")
  _ = try await readAll(2, through: larger)
  try await larger.flush()
  check(try await readAll(2, through: try open("full")) == 0, "blocks are missing, though there is room")
  print("a full database had the right bytes, and kept more when there was room")
}

// A database that another process has locked: reads go on, and what was removed is deleted later.
do {
  let store = try open("locked", patience: 10)
  _ = try await readAll(1, through: store)
  try await store.flush()
  var other: OpaquePointer?
  check(sqlite3_open(directory.appendingPathComponent("locked").path, &other) == SQLITE_OK, "cannot open")
  check(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK, "cannot lock")
  store.remove(source: "server")
  check(try await readAll(2, through: store) > 0, "another version was served")
  check((try? await store.flush()) == nil, "a removal that is not written was acknowledged")
  check(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK, "cannot unlock")
  sqlite3_close_v2(other)
  try await store.flush()
  check(try await readAll(1, through: try open("locked")) > 0, "what was removed came back")
  print("a locked database cost nothing but time")
}
