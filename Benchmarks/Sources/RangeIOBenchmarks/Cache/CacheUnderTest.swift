import RangeIO

// The only file that names the library's cache: the cells know what stands here.

/// A store of the library with blocks of 4 KiB, to be given to one reader or to several.
struct CacheStore: Sendable {
  private let store: MemoryStore

  /// - Parameter limit: in bytes.
  init(limit: Int) {
    store = MemoryStore(limit: .bytes(limit))
  }

  /// A reader of `source` that caches just what is asked for, below `idleStages` stages that do nothing.
  ///
  /// - Parameter areReady: whether the stages pass on what is at hand without an asynchronous call.
  func reader(
    _ source: some RangeSource, under idleStages: Int, areReady: Bool = false
  ) async throws -> RangeReader {
    let caching: ReadPipeline = .caching(store, fill: .exact, blockSize: .kibibytes(4))
    let idle: ReadPipeline = (0..<idleStages).reduce([]) { above, _ in
      [above, areReady ? .stage(IdleReady()) : .stage(Idle())]
    }
    return try await RangeReader(source, [idle, caching])
  }
}

/// A reader of a file as one gets it without settings, and the same without its cache.
enum DefaultReader {
  /// What the store behind the default holds, in bytes.
  static let cacheByteCount = 64 << 20

  static func cached(_ path: String) async throws -> RangeReader { try await RangeReader(path) }

  /// The same with a store of another size.
  static func cached(_ path: String, storeOf byteCount: Int) async throws -> RangeReader {
    try await RangeReader(path, cache: MemoryStore(limit: .bytes(byteCount)))
  }

  static func uncached(_ path: String, engine: FileSource.Engine = .automatic) async throws -> RangeReader {
    try await RangeReader(FileSource(path, engine: engine))
  }
}

/// A stage that does nothing: what stages cost by being there.
private struct Idle: ReadStage {
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// The same, written for what is at hand as well.
private final class IdleReady: ReadStage {
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }
}
