import Foundation
import GRDB
import RangeIO

/// SQLite by GRDB: blocks as rows, found by their number, one table for each number of blocks.
///
/// Read with prepared statements, synchronously on the caller's thread or asynchronously on GRDB's: the faster takes
/// part. The database was just written, so it is in the page cache; that is not verified.
struct SQLitePeer: PointReader {
  private let pool: DatabasePool
  private let table: String
  private let isAsync: Bool

  /// A database in `directory`, with a table for each of `counts`.
  static func database(_ counts: [Int], of blocks: ResidentBlocks, in directory: URL) throws -> SQLiteFile {
    let file = SQLiteFile(url: directory.appendingPathComponent("range-io-blocks.sqlite"))
    try file.remove()
    let pool = try DatabasePool(path: file.url.path)
    // Thrown away after the run: nothing of it has to survive a crash.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    for count in counts {
      try pool.write { database in
        try database.execute(sql: "CREATE TABLE blocks\(count) (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        let insert = try database.makeStatement(sql: "INSERT INTO blocks\(count) VALUES (?, ?)")
        for (number, bytes) in blocks.first(count) { try insert.execute(arguments: [number, Data(bytes)]) }
      }
    }
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    return SQLiteFile(url: file.url, pool: pool)
  }

  static func variants(_ file: SQLiteFile, _ count: Int) -> [Variant] {
    guard let pool = file.pool else { return [] }
    return [false, true].map { isAsync in
      let peer = SQLitePeer(pool: pool, table: "blocks\(count)", isAsync: isAsync)
      return Variant(label: isAsync ? "DatabasePool, async" : "DatabasePool, synchronous") { job in
        guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
        return try await peer.run(offsets, size, concurrency)
      }
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    let blocks = (offset..<offset + count).blocks
    return if isAsync {
      try await pool.read { [self] in try fetch(blocks, $0) }
    } else {
      try readHere(blocks)
    }
  }

  private func readHere(_ blocks: Range<Int>) throws -> Piece { try pool.read { try fetch(blocks, $0) } }

  private func fetch(_ blocks: Range<Int>, _ database: Database) throws -> Piece {
    let found: Data
    if blocks.count == 1 {
      let select = try database.cachedStatement(sql: "SELECT bytes FROM \(table) WHERE id = ?")
      found = try Data.fetchOne(select, arguments: [blocks.lowerBound]) ?? Data()
    } else {
      let select = try database.cachedStatement(sql: "SELECT bytes FROM \(table) WHERE id >= ? AND id < ? ORDER BY id")
      let rows = try Data.fetchCursor(select, arguments: [blocks.lowerBound, blocks.upperBound])
      var all = Data(capacity: blocks.count * CacheTopic.blockSize)
      while let row = try rows.next() { all.append(row) }
      found = all
    }
    var word: UInt64 = 0
    _ = withUnsafeMutableBytes(of: &word) { found.copyBytes(to: $0) }
    return Piece(count: found.count, firstWord: UInt64(littleEndian: word))
  }
}

/// The database's files, to be removed in the end.
struct SQLiteFile: Sendable {
  let url: URL
  var pool: DatabasePool?

  func close() throws {
    try pool?.close()
    try remove()
  }

  func remove() throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = url.path + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }
}
