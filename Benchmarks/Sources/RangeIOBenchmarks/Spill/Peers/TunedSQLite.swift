import Foundation
import GRDB
import RangeIO

/// SQLite by GRDB as fast as it gets, for one who has the database for himself.
///
/// Chosen by measuring, for blocks of 64 KiB and 4 KiB:
/// - source and block in one number that is the row's: in a table WITHOUT ROWID that has both columns as its key, large
///   rows fill the upper nodes of the tree; a read of 64 KiB took 40 to 50 µs for 8 to 10, a miss 18 to 29 for 2.6. A
///   table with rows and an index of both columns was near this one.
/// - pages of 64 KiB: writes were a third faster than with 16 KiB, half the time of 4 KiB; reads alike.
/// - the file mapped: reads without were two to three times as long.
/// - an exclusive lock, so that a look-up does not lock and unlock: 1.0 µs for 2.6.
/// - transactions of 4 MiB; 1 and 8 were no better.
/// - a statement made once and found by its text; blobs bound in place and copied once, into memory for the caller.
final class TunedSQLite: SpillPointReader {
  private let queue: DatabaseQueue
  private let durability: SpillDurability

  private static let transactionByteCount = 4 << 20

  /// How far it is tuned.
  enum Tuning {
    /// What most who care do: a write-ahead log, prepared statements, batches.
    case usual
    /// All that helps.
    case all

    fileprivate var settings: [String] {
      switch self {
      case .usual: ["journal_mode = WAL"]
      case .all:
        [
          "page_size = 65536", "locking_mode = EXCLUSIVE", "journal_mode = WAL", "cache_size = -16384",
          "mmap_size = 1099511627776",
        ]
      }
    }
  }

  init(_ directory: URL, _ durability: SpillDurability, _ tuning: Tuning) throws {
    self.durability = durability
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      for setting in tuning.settings + ["synchronous = \(durability == .none ? "OFF" : "NORMAL")"] {
        _ = try Row.fetchAll(database, sql: "PRAGMA \(setting)")
      }
    }
    queue = try DatabaseQueue(path: SQLiteBlocks.path(directory), configuration: configuration)
    try queue.writeWithoutTransaction {
      try $0.execute(sql: "CREATE TABLE IF NOT EXISTS blocks (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
    }
  }

  func write(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws { try insert(blocks, at: offset) }

  private func insert(_ blocks: ArraySlice<Bytes>, at offset: Int) throws {
    guard let size = blocks.first?.count else { return }
    let portion = max(1, Self.transactionByteCount / size)
    for first in stride(from: blocks.startIndex, to: blocks.endIndex, by: portion) {
      try queue.inTransaction(.immediate) { database in
        let insert = try database.cachedStatement(sql: "INSERT OR REPLACE INTO blocks VALUES (?, ?)")
        for number in first..<min(first + portion, blocks.endIndex) {
          try blocks[number].withUnsafeBytes { bytes in
            insert.bind(Self.key(offset + (number - blocks.startIndex) * size, size), at: 1)
            insert.bind(bytes, at: 2)
            try insert.stepOnce { _ in }
          }
        }
        return .commit
      }
    }
  }

  /// What was committed is in the log; with `fdatasync` it goes to its place, and both to the disk.
  func flush() async throws { if durability == .fdatasync { try checkpoint() } }

  private func checkpoint() throws { try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }

  func bytes(at offset: Int, count: Int) async throws -> Bytes? { try block(offset, count) }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    guard let bytes = try block(offset, count) else { throw Missed(offset: offset) }
    return Piece(bytes)
  }

  nonisolated(nonsending) func lacks(_ offset: Int, count: Int) async throws -> Bool {
    try block(offset, count) == nil
  }

  func close() async throws { try queue.close() }

  /// One call of GRDB for one block. Unsafe means: without making the connection read-only and back again.
  private func block(_ offset: Int, _ size: Int) throws -> Bytes? {
    try queue.unsafeRead { try Self.select($0, offset, size) }
  }

  /// A body for all blocks of one call to GRDB: one transaction, one thread, nobody else.
  fileprivate func all(_ offsets: [Int], size: Int, _ body: (Int, Bytes?) throws -> Void) throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    try queue.read { database in
      for offset in offsets { try body(offset, Self.select(database, offset, size)) }
    }
    return Outcome(elapsed: clock.now - start)
  }

  private static func select(_ database: Database, _ offset: Int, _ size: Int) throws -> Bytes? {
    let select = try database.cachedStatement(sql: "SELECT bytes FROM blocks WHERE id = ?")
    select.bind(key(offset, size), at: 1)
    return try select.stepOnce { Bytes(copying: $0.bytes) }
  }

  private static func key(_ offset: Int, _ size: Int) -> Int { SQLiteBlocks.source << 40 | offset / size }
}

/// The same, but that all reads of a run are one call of GRDB: what SQLite needs, without what it takes to get to it.
struct TunedSQLiteBatch: SpillPeer {
  let store: TunedSQLite

  func write(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws { try await store.write(blocks, at: offset) }
  func flush() async throws { try await store.flush() }
  func bytes(at offset: Int, count: Int) async throws -> Bytes? { try await store.bytes(at: offset, count: count) }
  func close() async throws { try await store.close() }

  @concurrent func read(_ offsets: [Int], size: Int) async throws -> Outcome {
    try store.all(offsets, size: size) { offset, bytes in
      guard let bytes else { throw Missed(offset: offset) }
      try Piece(bytes).check(at: offset, count: size)
    }
  }

  @concurrent func miss(_ offsets: [Int], size: Int) async throws -> Outcome {
    try store.all(offsets, size: size) { offset, bytes in
      guard bytes == nil else { throw Unexpected(offset: offset) }
    }
  }
}

extension SpillContender {
  static let tunedSQLite = SpillContender(name: .sqliteTuned, label: "WAL, prepared, batched") {
    try TunedSQLite($0, $1, .usual)
  }

  static let mappedSQLite = SpillContender(name: .sqliteMapped, label: "exclusive WAL, mapped, 64 KiB pages") {
    try TunedSQLite($0, $1, .all)
  }

  static let tunedSQLiteBatch = SpillContender(
    name: .sqliteBatch, label: "the same, one call for all reads",
    takesPart: { topic in
      switch topic {
      case .hit, .miss: true
      case .write, .reopen: false
      }
    }
  ) { TunedSQLiteBatch(store: try TunedSQLite($0, $1, .all)) }
}
