import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Sequences: however far they have counted, what is removed stays removed, and what was written is found.
@Suite struct SpillSequenceTests {
  /// Leaves three segments, and block 38 in the last of them.
  private func filled(_ spill: SimulatedSpill, from sequence: UInt64 = 0) async throws {
    let store = try spill.open()
    store.writer.appender.lastSequence = sequence
    let source = FillSource(store.sources)
    for block in 0..<40 {
      source.put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    try await store.close()
    #expect(spill.segments.count == 3)
  }

  @Test func `what a killed process has written is found, and removed is not, beyond 4 billion records`() async throws {
    let spill = SimulatedSpill()
    let process = spill.disk.newProcess()
    let store = try spill.open(in: process)
    store.writer.appender.lastSequence = 5 << 32
    let source = FillSource(store.sources)
    for block in 0..<8 { source.put(block, in: store) }
    try await store.flush()
    source.erase(2..<4, in: store)
    try await store.flush()
    process.crash()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<8, by: again) == [0, 1, 4, 5, 6, 7])
    #expect(again.writer.appender.lastSequence > 5 << 32)
  }

  @Test(arguments: [0, 1, 2]) func `what is removed from a segment that could not be read stays removed`(
    unreadable: Int
  ) async throws {
    let spill = SimulatedSpill()
    try await filled(spill, from: 3 << 32)
    let name = spill.segments[unreadable]
    spill.disk.faults = DiskFaults { $0.kind == .read && $0.name == name ? .fail(.ioError) : nil }
    let store = try spill.open()
    FillSource(store.sources).erase(0..<40, in: store)
    try await store.close()
    spill.disk.faults = .none
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<40, by: again) == [])
  }

  @Test func `sequences go on beyond a segment that was made while another could not be read`() async throws {
    let spill = SimulatedSpill()
    for unreadable in 0..<4 {
      let name = unreadable == 0 ? "" : SpillFormat.segmentName(UInt64(unreadable))
      spill.disk.faults = DiskFaults { $0.kind == .read && $0.name == name ? .fail(.ioError) : nil }
      let store = try spill.open()
      let source = FillSource(store.sources)
      if unreadable == 3 { source.erase(0..<40, in: store) }
      for block in unreadable * 12..<unreadable * 12 + 12 where unreadable < 3 { source.put(block, in: store) }
      try await store.close()
    }
    spill.disk.faults = .none
    let store = try spill.open()
    #expect(FillSource(store.sources).served(0..<40, by: store) == [])
  }

  @Test func `a tombstone is carried on for a segment that could not be read`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(400))
    var store = try spill.open()
    for block in 0..<8 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
    let name = spill.segments[0]
    // Nor can it be removed, when room is needed.
    spill.disk.faults = DiskFaults {
      [.read, .remove].contains($0.kind) && $0.name == name ? .fail(.ioError) : nil
    }
    store = try spill.open()
    let source = FillSource(store.sources)
    source.erase(0..<8, in: store)
    try await store.flush()
    let tombstone = try #require(spill.segments.last)
    for block in 100..<200 {
      source.put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    #expect(!spill.segments.contains(tombstone) && spill.segments.contains(name))
    try await store.close()
    spill.disk.faults = .none
    let again = try spill.open()
    let served = try #require(FillSource(again.sources).served(0..<200, by: again))
    #expect(served.isDisjoint(with: 0..<8) && served.contains(199))
  }

  // MARK: the order in which segments go

  /// A directory whose oldest segment has blocks that a tombstone in its second removes.
  private func removed() async throws -> SimulatedSpill {
    let spill = SimulatedSpill { $0.syncsEvery = .bytes(1) }
    try await filled(spill)
    for segment in 0..<4 {
      let store = try spill.open()
      let source = FillSource(store.sources)
      source.erase(segment * 2..<segment * 2 + 2, in: store)
      for block in 0..<12 { source.put(100 + segment * 20 + block, in: store) }
      try await store.close()
    }
    #expect(spill.segments.count == 7)
    return spill
  }

  @Test(arguments: [false, true])
  func `a process that dies while a lower limit is enforced brings nothing back`(losesPower: Bool) async throws {
    let original = try await removed()
    for call in 0..<7 {
      for seed in 0..<(losesPower ? 8 : 1) {
        let spill = original.copy()
        // What comes first names what is not among the segments.
        spill.disk.faults = .on(.remove, number: call, .crash())
        _ = try? spill.open { $0.limit = .kibibytes(160) }
        if losesPower { spill.disk.losePower(seed: UInt64(seed)) }
        spill.disk.faults = .none
        let store = try spill.open()
        let served = try #require(FillSource(store.sources).served(0..<8, by: store))
        #expect(served == [], "after call \(call), seed \(seed)")
      }
    }
  }

  @Test func `a loss of power brings nothing back of what segments had that are gone`() async throws {
    for seed in 0..<24 {
      let spill = SimulatedSpill(limit: .kibibytes(400)) { $0.syncsEvery = .mebibytes(64) }
      let process = spill.disk.newProcess()
      let store = try spill.open(in: process)
      let source = FillSource(store.sources)
      for block in 0..<16 { source.put(block, in: store) }
      try await store.flush()
      source.erase(0..<14, in: store)
      try await store.flush()
      // The segment with the blocks goes, then the one with the tombstone.
      for block in 100..<150 + seed * 2 {
        source.put(block, in: store)
        if block % 8 == 7 { await store.written() }
      }
      await store.written()
      process.crash()
      spill.disk.losePower(seed: UInt64(seed))
      let again = try spill.open()
      let served = try #require(FillSource(again.sources).served(0..<14, by: again))
      #expect(served == [], "seed \(seed)")
    }
  }
}

extension SpillStore {
  /// Has what waits written, without making it durable.
  func written() async {
    let runs = state.withLock { state -> Bool in
      guard !state.isWriting, state.staging.hasWork else { return false }
      state.isWriting = true
      return true
    }
    guard runs else { return }
    while writer.writeBatch() {}
    state.withLock { $0.isWriting = false }
  }
}
