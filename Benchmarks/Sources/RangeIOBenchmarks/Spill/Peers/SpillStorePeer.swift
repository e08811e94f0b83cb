import Foundation
import RangeIO
@_spi(Benchmarks) import RangeIOTiers

/// The library's store on a disk, read by a reader whose source has nothing.
final class SpillStorePeer: SpillPointReader {
  private let store: TieredStore
  private let small: View
  private let large: View

  /// The blocks of one size.
  private struct View {
    let reader: RangeReader
    let token: ChunkToken

    init(_ store: TieredStore, blockSize: Int) async throws {
      let source = EmptySource(blockSize: blockSize)
      reader = try await RangeReader(source, [.caching(store)])
      guard let token = store.token(of: reader.source) else { throw Missed(offset: nil) }
      self.token = token
    }
  }

  private func view(_ size: Int) -> View { size == 4096 ? small : large }

  init(_ directory: URL, _ durability: SpillDurability, codec: any ChunkCodec) async throws {
    var configuration = DiskConfiguration(directory: directory.path, limit: .gibibytes(6))
    configuration.codec = codec
    configuration.keepsFastSources = true
    configuration.freeSpaceFloor = .bytes(0)
    if durability == .fdatasync { configuration.syncsEvery = .gibibytes(1 << 20) }
    let store = try await TieredStore(disk: configuration)
    self.store = store
    small = try await View(store, blockSize: 4096)
    large = try await View(store, blockSize: 65_536)
  }

  @concurrent func write(_ blocks: ArraySlice<Bytes>, at offset: Int) async throws {
    guard let size = blocks.first?.count else { return }
    let token = view(size).token
    var range = offset..<offset
    for bytes in blocks {
      range = range.upperBound..<range.upperBound + bytes.count
      // What finds no room waits, as a tier above would drop it.
      while !store.demote(bytes, at: range, of: token) { try await Task.sleep(for: .microseconds(200)) }
    }
  }

  func flush() async throws { try await store.flush() }

  func bytes(at offset: Int, count: Int) async throws -> Bytes? {
    do {
      return try await view(count).reader.read(offset..<offset + count)
    } catch is NothingThere {
      return nil
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    Piece(try await view(count).reader.read(offset..<offset + count))
  }

  nonisolated(nonsending) func lacks(_ offset: Int, count: Int) async throws -> Bool {
    let token = view(count).token
    if case .miss = store.lookUp(offset..<offset + count, of: token) { return true }
    return false
  }

  func close() async throws {
    await small.reader.close()
    await large.reader.close()
    try await store.close()
  }
}

/// There is nothing but what the store has.
private struct NothingThere: Error {}

/// A source of which only a store has anything.
private final class EmptySource: RangeSource {
  private let blockSize: Int

  init(blockSize: Int) { self.blockSize = blockSize }

  private struct Version: SourceDescription.Validator {
    var persistentForm: [UInt8]? { [1] }

    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }

  nonisolated(nonsending) func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "blocks", validator: Version(), byteCount: 1 << 40, preferredBlockSize: .bytes(blockSize),
      traits: .neverWaiting)
  }

  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    throw NothingThere()
  }
}
