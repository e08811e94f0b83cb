import Foundation
import GRDB
import GRDBSQLite
import RangeIO

/// What both peers of SQLite have in common: one source, and the steps that GRDB leaves to SQLite.
enum SQLiteBlocks {
  static let source = 1

  static func path(_ directory: URL) -> String { directory.appendingPathComponent("blocks.sqlite").path }
}

extension Statement {
  /// Binds a number. Indexes begin at 1.
  func bind(_ number: Int, at index: CInt) { sqlite3_bind_int64(sqliteStatement, index, Int64(number)) }

  /// Binds bytes without copying them: they must live until the statement was reset.
  func bind(_ bytes: UnsafeRawBufferPointer, at index: CInt) {
    sqlite3_bind_blob64(sqliteStatement, index, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Takes one step, shows the first column of the row, if there is one, and resets the statement.
  func stepOnce<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
    defer { sqlite3_reset(sqliteStatement) }
    switch sqlite3_step(sqliteStatement) {
    case SQLITE_DONE: return nil
    case SQLITE_ROW:
      let blob = sqlite3_column_blob(sqliteStatement, 0)
      return try body(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(sqliteStatement, 0))))
    case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }
}

extension Piece {
  /// What a run looks at in a block.
  init(_ bytes: Bytes) {
    var word: UInt64 = 0
    bytes.withUnsafeBytes { bytes in
      withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(8))) }
    }
    self.init(count: bytes.count, firstWord: UInt64(littleEndian: word))
  }
}
