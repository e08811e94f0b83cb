import CSQLite
import Dispatch
import RangeIO

extension SQLiteStore {
  /// One version of one source, in blocks of one size; the same in every process.
  struct Version: Hashable {
    /// Bytes, since strings with different bytes can be equal.
    let source: [UInt8]
    let form: [UInt8]
    let blockSize: Int

    /// `nil` for a version that cannot be stored.
    init?(_ token: ChunkToken) {
      guard let form = token.source.validator?.persistentForm, !form.isEmpty else { return nil }
      self.init(source: Array(token.source.id.utf8), form: form, blockSize: token.grid.blockSize)
    }

    init(source: [UInt8], form: [UInt8], blockSize: Int) {
      (self.source, self.form, self.blockSize) = (source, form, blockSize)
    }
  }

  struct Key: Hashable {
    let version: Version
    let block: Int
  }

  /// A row of the database. Another process that uses the database at the same time may give the same number to another
  /// block: what is loaded or deleted is the row with this number and this key.
  struct Row {
    let number: Int64
    let byteCount: Int
  }
}

/// The table of blocks. All calls run on one queue, in order.
// Unchecked: `handle` and `undeleted` are used on `queue` only, and in `init` and `deinit`.
final class Database: @unchecked Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private enum Value {
    case number(Int64)
    case bytes(Bytes)
  }

  private let handle: OpaquePointer
  /// Rows to delete that could not be deleted yet, since the database is locked or the disk full.
  private var undeleted: [(Int64, SQLiteStore.Key)] = []
  private let queue = DispatchQueue(label: "SQLiteStore")

  /// - Parameters:
  ///   - patience: the milliseconds to wait for another process that has the database locked.
  ///   - pageLimit: the most pages of 4 KiB that the database may have; `nil`: as many as the disk.
  init(_ path: String, patience: Int32 = 5000, pageLimit: Int? = nil) throws {
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard result == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Failure(description: "cannot open \(path): \(String(cString: sqlite3_errstr(result)))")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, patience)
    // What is lost when the power fails is read again.
    for statement in [
      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
      """
      CREATE TABLE IF NOT EXISTS blocks
        (number INTEGER PRIMARY KEY, source BLOB, version BLOB, blockSize INTEGER, block INTEGER, bytes BLOB)
      """,
    ] { try run(statement) }
    if let pageLimit { try run("PRAGMA max_page_count = \(pageLimit)") }
  }

  deinit { sqlite3_close_v2(handle) }

  /// What there is, the oldest first. Called before anything else.
  func rows() throws -> [(SQLiteStore.Key, SQLiteStore.Row)] {
    var rows: [(SQLiteStore.Key, SQLiteStore.Row)] = []
    try run("SELECT number, source, version, blockSize, block, length(bytes) FROM blocks ORDER BY number") { row in
      let version = SQLiteStore.Version(
        source: Array(Self.bytes(row, 1)), form: Array(Self.bytes(row, 2)),
        blockSize: Int(sqlite3_column_int64(row, 3)))
      rows.append(
        (
          SQLiteStore.Key(version: version, block: Int(sqlite3_column_int64(row, 4))),
          SQLiteStore.Row(number: sqlite3_column_int64(row, 0), byteCount: Int(sqlite3_column_int64(row, 5)))
        ))
    }
    return rows
  }

  func write(_ bytes: Bytes, _ row: SQLiteStore.Row, _ key: SQLiteStore.Key, then: @escaping @Sendable (Bool) -> Void) {
    queue.async { [self] in
      deleteWhatIsLeft()
      let values = Self.values(row.number, key) + [.bytes(bytes)]
      // `try?`: a block that cannot be written is read again. So is one whose number another process was quicker to use.
      then((try? run("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", values)) != nil)
    }
  }

  private static func values(_ number: Int64, _ key: SQLiteStore.Key) -> [Value] {
    [
      .number(number), .bytes(Bytes(key.version.source)), .bytes(Bytes(key.version.form)),
      .number(Int64(key.version.blockSize)), .number(Int64(key.block)),
    ]
  }

  private static let isRow = "number = ? AND source = ? AND version = ? AND blockSize = ? AND block = ?"

  func load(_ number: Int64, of key: SQLiteStore.Key) async -> Bytes? {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        var bytes: Bytes?
        // `try?`: a block that cannot be read is read from the source.
        try? run("SELECT bytes FROM blocks WHERE \(Self.isRow)", Self.values(number, key)) {
          bytes = Self.bytes($0, 0)
        }
        continuation.resume(returning: bytes)
      }
    }
  }

  /// A block that cannot be deleted now is deleted later: it must not come back in the next process.
  func delete(_ number: Int64, of key: SQLiteStore.Key) {
    queue.async { [self] in
      undeleted.append((number, key))
      deleteWhatIsLeft()
    }
  }

  @discardableResult private func deleteWhatIsLeft() -> Failure? {
    while let (number, key) = undeleted.last {
      do {
        try run("DELETE FROM blocks WHERE \(Self.isRow)", Self.values(number, key))
        undeleted.removeLast()
      } catch {
        return Failure(description: "\(undeleted.count) removed blocks are still in the database: \(error)")
      }
    }
    return nil
  }

  /// Throws if something that was removed could not be deleted yet.
  func flush() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async { [self] in
        if let failure = deleteWhatIsLeft() {
          continuation.resume(throwing: failure)
        } else {
          continuation.resume()
        }
      }
    }
  }

  private func run(_ sql: String, _ values: [Value] = [], row: (OpaquePointer) -> Void = { _ in }) throws {
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &prepared, nil))
    guard let prepared else { return }
    defer { sqlite3_finalize(prepared) }
    // SQLite copies what it is given.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in zip(Int32(1)..., values) {
      switch value {
      case .number(let number): try check(sqlite3_bind_int64(prepared, index, number))
      case .bytes(let bytes):
        try check(
          bytes.withUnsafeBytes { sqlite3_bind_blob(prepared, index, $0.baseAddress, Int32($0.count), copies) })
      }
    }
    while true {
      let result = sqlite3_step(prepared)
      guard result == SQLITE_ROW else { return try check(result == SQLITE_DONE ? SQLITE_OK : result) }
      row(prepared)
    }
  }

  private func check(_ result: Int32) throws {
    guard result == SQLITE_OK else { throw Failure(description: String(cString: sqlite3_errmsg(handle))) }
  }

  private static func bytes(_ row: OpaquePointer, _ column: Int32) -> Bytes {
    let start = sqlite3_column_blob(row, column)
    // SQLite's memory, which is valid until the next step.
    let buffer = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column)))
    return Bytes(copying: buffer.bytes)
  }
}
