import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A directory with one segment of 64 KiB in it, of which a test knows every byte: two sources, two codecs, a tombstone.
struct FilledSegment {
  /// A record of it, the footer apart.
  struct Record {
    let kind: SpillRecord.Kind
    let header: Range<Int>
    let payload: Range<Int>
    let key: Key
  }
  struct Key: Hashable {
    let source: UInt32
    let block: Int
  }

  let spill: SimulatedSpill
  let path: FilePath
  let byteCount: Int
  let isSealed: Bool
  private(set) var records: [Record] = []
  /// Those that a tombstone removes.
  let removed: Set<Key> = [Key(source: 0, block: 3), Key(source: 0, block: 4)]

  init(isSealed: Bool) async throws {
    let original = SimulatedSpill { $0.codec = OddLZ4() }
    let process = original.disk.newProcess()
    let store = try original.open(in: process)
    let first = FillSource(store.sources, id: "first")
    for block in 0..<12 { first.put(block, in: store) }
    try await store.flush()
    first.erase(3..<5, in: store)
    try await store.flush()
    let second = FillSource(store.sources, id: "second")
    for block in 0..<16 { second.put(block, in: store) }
    try await store.flush()
    if isSealed { try await store.close() } else { process.crash() }
    self.isSealed = isSealed
    spill = original.copy()
    let name = try #require(spill.segments.first)
    #expect(spill.segments.count == 1)
    path = spill.path(name)
    let bytes = try #require(spill.disk.contents(of: path))
    byteCount = bytes.count
    records = bytes.withUnsafeBytes { bytes in
      var records: [Record] = []
      var place = SpillFormat.headerCount
      let check = bytes.number(60, UInt32.self)
      while let record = SpillRecord(bytes.part(place, 64), segmentCheck: check), record.kind != .footer {
        let payload = place + 64..<place + 64 + Int(record.stored)
        let key = Key(source: record.source, block: Int(record.block))
        records.append(.init(kind: record.kind, header: place..<place + 64, payload: payload, key: key))
        place += SpillFormat.recordCount(payload: Int(record.stored))
      }
      return records
    }
    #expect(chunks(records[...]).count == 26)
  }

  func chunks(_ records: ArraySlice<Record>) -> Set<Key> {
    Set(records.filter { $0.kind == .chunk }.map(\.key)).subtracting(removed)
  }

  /// Opens the directory after `damage` and reads all blocks: at once, or one after the other, which is another way of the
  /// loader.
  ///
  /// - Returns: what is served; `nil` if a byte is wrong.
  func served(oneByOne: Bool = false, after damage: (SimulatedDisk) -> Void) throws -> Set<Key>? {
    let spill = spill.copy()
    damage(spill.disk)
    let store = try spill.open()
    var served: Set<Key> = []
    for (source, id) in ["first", "second"].enumerated() {
      let all = FillSource(store.sources, id: id)
      for blocks in oneByOne ? (0..<16).map({ $0..<$0 + 1 }) : [0..<16] {
        guard let found = all.served(blocks, by: store) else { return nil }
        served.formUnion(found.map { Key(source: UInt32(source), block: $0) })
      }
    }
    return served
  }

  // MARK: what may be lost

  /// What of it a flipped bit must cost, and what it may.
  func losses(ofByte byte: Int) -> (must: Set<Key>, may: Set<Key>) {
    let all = chunks(records[...])
    guard byte >= SpillFormat.headerCount else { return ([], all) }
    guard let number = records.firstIndex(where: { $0.header.contains(byte) || $0.payload.contains(byte) }) else {
      // Zeros between records, footer, trailer, and what was never written.
      return ([], [])
    }
    let record = records[number]
    let one = chunks(records[number...number])
    if isSealed { return (one, one) }
    if record.kind == .chunk, record.payload.contains(byte) { return (one, one) }
    return (chunks(records[number...]), chunks(records[number...]))
  }

  /// What a tombstone removes, if it is not believed itself then.
  func risen(ifLostFrom byte: Int) -> Set<Key> {
    guard let tombstone = records.first(where: { $0.kind == .tombstone }) else { return [] }
    return !isSealed && byte < tombstone.payload.upperBound ? removed : []
  }
}
