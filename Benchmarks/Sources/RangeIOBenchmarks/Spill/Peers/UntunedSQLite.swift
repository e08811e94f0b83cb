import Foundation
import GRDB
import RangeIO

/// SQLite by GRDB as it comes: a rollback journal, `synchronous = FULL`, a transaction for every insert, every
/// statement made anew, `Data` in and out.
struct UntunedSQLite: SpillPointReader {
  private let queue: DatabaseQueue

  init(_ directory: URL) throws {
    queue = try DatabaseQueue(path: SQLiteBlocks.path(directory))
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS blocks (
            source INTEGER NOT NULL, block INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (source, block))
          """)
    }
  }

  func write(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws {
    for (number, bytes) in zip(0..., blocks) { try insert(bytes, at: offset + number * bytes.count) }
  }

  private func insert(_ bytes: Bytes, at offset: Int) throws {
    try queue.write { try Self.insert($0, bytes, at: offset) }
  }

  /// Every insert was safe when it was done.
  func flush() async throws {}

  /// All in one transaction: one for each would take minutes.
  func fill(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws { try insertAll(blocks, at: offset) }

  private func insertAll(_ blocks: ArraySlice<Bytes>, at offset: Int) throws {
    try queue.write { database in
      for (number, bytes) in zip(0..., blocks) {
        try Self.insert(database, bytes, at: offset + number * bytes.count)
      }
    }
  }

  private static func insert(_ database: Database, _ bytes: Bytes, at offset: Int) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)",
      arguments: [SQLiteBlocks.source, offset / bytes.count, bytes.withUnsafeBytes { Data($0) }])
  }

  func bytes(at offset: Int, count: Int) async throws -> Bytes? { try block(offset, count).map { Bytes($0) } }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    guard let data = try block(offset, count) else { throw Missed(offset: offset) }
    var word: UInt64 = 0
    _ = withUnsafeMutableBytes(of: &word) { data.copyBytes(to: $0) }
    return Piece(count: data.count, firstWord: UInt64(littleEndian: word))
  }

  nonisolated(nonsending) func lacks(_ offset: Int, count: Int) async throws -> Bool {
    try block(offset, count) == nil
  }

  func close() async throws { try queue.close() }

  private func block(_ offset: Int, _ size: Int) throws -> Data? {
    try queue.read {
      try Data.fetchOne(
        $0, sql: "SELECT bytes FROM blocks WHERE source = ? AND block = ?",
        arguments: [SQLiteBlocks.source, offset / size])
    }
  }
}

extension SpillContender {
  static let untunedSQLite = SpillContender(
    name: .sqliteUntuned, label: "as it comes, a transaction a block",
    takesPart: { topic in
      if case .reopen = topic { false } else { true }
    }, mostWrites: 200
  ) { directory, _ in try UntunedSQLite(directory) }
}
