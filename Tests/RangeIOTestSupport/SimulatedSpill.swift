import RangeIOTesting
import SystemPackage

@testable import RangeIO
@testable import RangeIOTiers

/// A spill directory on a simulated disk.
struct SimulatedSpill {
  static let directory: FilePath = "/spill"
  var disk: SimulatedDisk
  var configuration: SpillStore.Configuration

  init(
    _ disk: SimulatedDisk = SimulatedDisk(), limit: ByteCount = .mebibytes(1),
    _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) {
    self.disk = disk
    configuration = SpillStore.Configuration(directory: Self.directory.string, limit: limit)
    configuration.segmentSize = .kibibytes(64)
    configuration.keepsFastSources = true
    configuration.keepsFirstReads = true
    configuration.codec = IdentityCodec()
    configuration.stagingLimit = .kibibytes(512)
    configuration.freeSpaceFloor = .bytes(0)
    change(&configuration)
  }

  /// Opens it in a process of its own, on this thread.
  func open(_ change: (inout SpillStore.Configuration) -> Void = { _ in }) throws(ReadError) -> SpillStore {
    try open(in: disk.newProcess(), change)
  }

  func open(
    in process: SimulatedProcess, _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) throws(ReadError) -> SpillStore {
    var configuration = configuration
    configuration.disk = process
    change(&configuration)
    let folder = try SpillFolder.open(configuration, on: process)
    return try SpillOpening(configuration, folder).open(ChunkSources())
  }

  /// The same directory on a disk of its own.
  func copy() -> SimulatedSpill {
    var copy = self
    copy.disk = disk.copy()
    return copy
  }

  func path(_ name: String) -> FilePath { Self.directory.appending(name) }

  /// The names of the segments in the directory itself, in order.
  var segments: [String] {
    disk.files.filter { $0.removingLastComponent() == Self.directory }.compactMap { $0.lastComponent?.string }
      .filter { SpillFormat.segmentNumber($0) != nil }
  }

  /// All files with their bytes.
  var contents: [FilePath: [UInt8]] {
    Dictionary(uniqueKeysWithValues: disk.files.map { ($0, disk.contents(of: $0)!) })
  }
}

extension FillSource {
  /// Those of `blocks` that `store` serves from the disk; `nil` if a byte is wrong.
  func served(_ blocks: Range<Int>, by store: SpillStore) -> Set<Int>? {
    var served: Set<Int> = []
    for piece in held(blocks.lowerBound * token.grid.blockSize..<blocks.upperBound * token.grid.blockSize, in: store) {
      let found = token.grid.blocks(covering: piece.range)
      guard let bytes = piece.loader.answeredBytes else {
        // One of them is damaged, and is not found any more: the others are.
        for block in found where found.count > 1 {
          guard let one = self.served(block..<block + 1, by: store) else { return nil }
          served.formUnion(one)
        }
        continue
      }
      guard bytes == expected(piece.range) else { return nil }
      served.formUnion(found)
    }
    return served
  }

  /// As ``served(_:by:)``, from a disk that does not tell what it has at hand.
  func fetched(_ blocks: Range<Int>, by store: SpillStore) async -> Set<Int>? {
    var fetched: Set<Int> = []
    for block in blocks {
      for piece in held(self.block(block), in: store) {
        guard let bytes = await piece.loader.load(whenLate: {}) else { continue }
        guard bytes == expected(piece.range) else { return nil }
        fetched.insert(block)
      }
    }
    return fetched
  }

  /// Removes blocks, as a store above does.
  func erase(_ blocks: Range<Int>, in store: SpillStore) {
    let range = block(blocks.lowerBound).lowerBound..<block(blocks.upperBound - 1).upperBound
    token.raiseGeneration(of: range)
    store.erase(range, of: token)
  }
}

/// LZ4 for blocks that begin with an odd byte, so that both codecs are there.
struct OddLZ4: LibraryCodec {
  var id: UInt8 { 1 }
  var encodingNumber: UInt64 { 2 << 8 | 1 << 63 }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    source[0] & 1 == 0 ? nil : LZ4Codec().encode(source, into: destination)
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    LZ4Codec().decode(source, into: destination)
  }
}
