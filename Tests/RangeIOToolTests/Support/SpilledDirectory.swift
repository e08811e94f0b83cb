#if Tool
import Foundation
import RangeIO
import RangeIOTiers

/// A directory in which a store has left blocks of a made-up source.
struct SpilledDirectory {
  let parent: TemporaryDirectory
  var path: String { parent("spill") }

  struct Version: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
    var persistentForm: [UInt8]? { Array(0..<24) + [0xAB, 0x01, 0xFF] }
  }

  /// Writes `blocks` blocks of 4 KiB of a source of twice as many, and closes the store.
  init(blocks: Int = 64) async throws {
    parent = try TemporaryDirectory()
    let store = try await open()
    try await Self.fill(store, 0..<blocks, of: blocks * 2)
    try await store.close()
  }

  /// The directory, to be used by this process.
  func open() async throws -> SpillStore {
    var configuration = SpillStore.Configuration(directory: path, limit: .mebibytes(4))
    configuration.segmentSize = .kibibytes(64)
    configuration.codec = IdentityCodec()
    configuration.keepsFastSources = true
    configuration.freeSpaceFloor = .bytes(0)
    return try await SpillStore.open(configuration)
  }

  static func fill(_ store: SpillStore, _ blocks: Range<Int>, of count: Int) async throws {
    let source = SourceDescription(id: "made:up", validator: Version(), byteCount: count * 4096)
    let token = store.token(of: source, on: BlockGrid(blockSize: 4096)!)
    for block in blocks {
      let range = block * 4096..<(block + 1) * 4096
      let bytes = Bytes(repeatElement(UInt8(truncatingIfNeeded: block), count: 4096))
      _ = store.insertDemoted(
        Chunk(ticket: token.ticket(fetchedAt: store.now), block: block, piece: RangedBytes(range, bytes)))
      if block % 16 == 15 { try await store.flush() }
    }
    try await store.flush()
  }

  /// Flips a bit of a file in the directory.
  func flip(_ name: String, at place: Int) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/" + name))
    try handle.seek(toOffset: UInt64(place))
    let byte = try handle.read(upToCount: 1)![0]
    try handle.seek(toOffset: UInt64(place))
    try handle.write(contentsOf: [byte ^ 4])
    try handle.close()
  }

  /// All files, by name.
  var files: [String: Data] {
    get throws {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        files[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
      }
      return files
    }
  }
}
#endif
