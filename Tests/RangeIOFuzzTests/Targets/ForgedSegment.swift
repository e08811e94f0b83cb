import RangeIOTesting
import SystemPackage

@testable import RangeIO
@testable import RangeIOTiers

/// A spill directory with one segment, whose bytes are made here, and may be forged.
struct ForgedSegment {
  static let blockSize = 512
  private static let root = SpillRoot(directoryID: 1, epoch: 1, created: 0, refusesWhenFull: false)
  private static let names = ["first", "second"]

  private struct Version: SourceDescription.Validator {
    var persistentForm: [UInt8]? { [1] }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }

  private static func description(_ id: String) -> SourceDescription {
    SourceDescription(id: id, validator: Version(), byteCount: 4100, preferredBlockSize: .bytes(blockSize))
  }

  private static let grid = BlockGrid(blockSize: blockSize)!

  /// The right bytes: of every third block such as do not shrink.
  private static func bytes(_ range: ByteRange, _ id: String) -> Bytes {
    Bytes(
      range.map { offset in
        let block = offset / blockSize
        let varies = block % 3 == 2 ? (UInt64(truncatingIfNeeded: offset) &* 0x9E37_79B9_7F4A_7C15) >> 56 : 0
        return UInt8(truncatingIfNeeded: block &* 31 &+ id.utf8.count) ^ UInt8(varies)
      })
  }

  /// The segment: two sources, nine blocks of each, a tombstone; with its footer and trailer if it is sealed.
  static func written(isSealed: Bool) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    let header = SpillSegmentHeader(directoryID: 1, epoch: 1, number: 1, created: 0)
    let check = bytes.withUnsafeMutableBytes { header.write(to: $0) }
    var footer = SpillFooter()
    func add(_ record: SpillRecord, _ payload: [UInt8]) -> (SpillRecord, Int) {
      var record = record
      record.sequence = footer.lastSequence + 1
      if footer.firstSequence == 0 { footer.firstSequence = 1 }
      footer.lastSequence = record.sequence
      payload.withUnsafeBytes { record.describe($0) }
      let place = bytes.count
      bytes += [UInt8](repeating: 0, count: SpillFormat.recordCount(payload: payload.count))
      bytes.withUnsafeMutableBytes { record.write(to: $0.part(place, 64), segmentCheck: check) }
      bytes.replaceSubrange(place + 64..<place + 64 + payload.count, with: payload)
      return (record, place)
    }
    for (number, id) in names.enumerated() {
      let identity = SpillIdentity(description(id), grid)!
      var record = SpillRecord(.source)
      (record.source, record.identityCheck) = (UInt32(number), identity.check)
      _ = add(record, identity.bytes)
      footer.identities.append(identity)
      for block in 0..<9 {
        let range = grid.range(of: block, in: 4100)
        let plain = Array(Self.bytes(range, id))
        let encoded = FuzzTargets.lz4(plain)
        record = SpillRecord(.chunk)
        (record.source, record.identityCheck, record.block) = (UInt32(number), identity.check, UInt64(block))
        (record.count, record.codec) = (UInt32(range.count), encoded.isEmpty ? 0 : 1)
        let (written, place) = add(record, encoded.isEmpty ? plain : encoded)
        footer.entries.append(.init(written, at: place))
      }
    }
    var record = SpillRecord(.tombstone)
    (record.identityCheck, record.block) = (footer.identities[0].check, 3)
    let bound = footer.lastSequence + 1
    var payload = [UInt8](repeating: 0, count: 16)
    payload.withUnsafeMutableBytes { bytes in
      bytes.put(UInt64(5), 0)
      bytes.put(bound, 8)
    }
    _ = add(record, payload)
    footer.tombstones.append(SpillTombstone(source: 0, blocks: 3..<5, bound: bound))
    let sequence = footer.lastSequence + 1
    // Without a cipher there always is an end.
    if isSealed { bytes += footer.closing(sequence: sequence, at: bytes.count, segmentCheck: check, nil) ?? [] }
    return bytes
  }

  /// `bytes` with right sums, wherever there is a record.
  static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard bytes.count >= SpillFormat.headerCount else { return bytes }
    bytes.withUnsafeMutableBytes { bytes in
      func sum(_ place: Int, _ count: Int) -> UInt32 { CRC32C.of(UnsafeRawBufferPointer(bytes.part(place, count))) }
      bytes.put(sum(0, 12), 12)
      let check = sum(0, 60)
      bytes.put(check, 60)
      var place = SpillFormat.headerCount
      while place + 64 <= bytes.count {
        let header = UnsafeRawBufferPointer(bytes.part(place, 64))
        guard header.number(0, UInt32.self) == 0x524F_4952 else {
          place += 8
          continue
        }
        let stored = Int(header.number(48, UInt32.self))
        let isThere = place + 64 + stored <= bytes.count
        if isThere { bytes.put(sum(place + 64, stored), place + 52) }
        bytes.put(check, place + 56)
        bytes.put(sum(place, 60), place + 60)
        place += isThere ? SpillFormat.recordCount(payload: stored) : 64
      }
      let trailer = bytes.count - SpillFormat.trailerCount
      guard trailer >= 64, UnsafeRawBufferPointer(bytes).number(trailer, UInt32.self) == 0x544F_4952 else { return }
      bytes.put(check, trailer + 24)
      bytes.put(sum(trailer, 28), trailer + 28)
    }
    return bytes
  }

  private let disk = SimulatedDisk()

  init(_ segment: [UInt8]) {
    var root = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    root.withUnsafeMutableBytes { Self.root.write(to: $0) }
    disk.setContents(of: "/spill/store", root)
    disk.setContents(of: "/spill/lock", Array("RIOSPILL process 1".utf8))
    disk.setContents(of: "/spill/0000000000000001", segment)
    disk.setOwner(of: "/spill", mode: 0o700)
  }

  var process: SimulatedProcess { disk.newProcess() }

  /// Opens the directory as a store does, and reads all blocks.
  ///
  /// - Returns: how many were served; `nil` if a byte was wrong.
  func served() throws(ReadError) -> Int? {
    var configuration = SpillStore.Configuration(directory: "/spill", limit: .mebibytes(1))
    (configuration.segmentSize, configuration.freeSpaceFloor) = (.kibibytes(64), .bytes(0))
    let process = process
    (configuration.codec, configuration.disk) = (LZ4Codec(), process)
    configuration.keepsFastSources = true
    let folder = try SpillFolder.open(configuration, on: process)
    let store = try SpillOpening(configuration, folder).open(ChunkSources())
    var served = 0
    for id in Self.names {
      let token = store.sources.token(for: Self.description(id), grid: Self.grid, reading: false).0
      for block in 0..<9 {
        let range = Self.grid.range(of: block, in: 4100)
        guard case .partial(_, let held, _) = store.lookUp(range, token: token.number, grid: Self.grid) else {
          continue
        }
        for piece in held {
          guard let bytes = piece.loader.answer().value ?? nil else { continue }
          guard bytes == Self.bytes(piece.range, id) else { return nil }
          served += 1
        }
      }
    }
    return served
  }
}
