import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Disks that are full when a directory is opened, or when something is removed from it.
@Suite struct SpillFullDiskTests {
  private let clock = ManualClock()

  private func expectItWorksOnceThereIsRoom(_ spill: SimulatedSpill, makingRoom: () -> Void) async throws {
    let store = try spill.open()
    let source = FillSource(store.sources)
    #expect(store.isEmpty && store.isWritable)
    source.put(1, in: store)
    try await store.flush()
    #expect(store.counts().dropped == 1 && store.counts().breakerOpenings == 0)
    #expect([.resourcesExhausted, .limitExceeded].contains(store.lastFailure?.code))
    #expect(source.read(source.block(1), in: store) == [])
    makingRoom()
    clock.advance(by: .seconds(6))
    source.put(2, in: store)
    try await store.flush()
    #expect(source.served(0..<4, by: store) == [2])
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<4, by: again) == [2])
    try await again.close()
    #expect(again.miscounts() == [])
  }

  @Test func `a directory that is made on a full disk is used once there is room`() async throws {
    let spill = SimulatedSpill(SimulatedDisk(capacity: 0)) { $0.time = ReadClock(clock) }
    try await expectItWorksOnceThereIsRoom(spill) { spill.disk.capacity = 1 << 30 }
  }

  @Test(arguments: [DiskCall.Kind.makeDirectory, .create, .write, .sync, .rename, .syncDirectory])
  func `a full disk may say so at any step of making a directory`(kind: DiskCall.Kind) async throws {
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    for errno in [Errno.noSpace, .diskQuotaExceeded] {
      let spill = spill.copy()
      spill.disk.faults = .always(kind, .fail(errno))
      try await expectItWorksOnceThereIsRoom(spill) { spill.disk.faults = .none }
    }
  }

  @Test func `what a full disk left unmade is not there to be read`() throws {
    let spill = SimulatedSpill(SimulatedDisk(capacity: 0))
    _ = try spill.open()
    #expect(throws: ReadError.self) { try spill.open { $0.isReadOnly = true } }
  }

  @Test func `a directory whose store is damaged is made anew once there is room`() async throws {
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    for block in 0..<40 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
    spill.disk.flipBit(of: spill.path("store"), at: 200)
    spill.disk.faults = .always(.create, .fail(.noSpace))
    try await expectItWorksOnceThereIsRoom(spill) { spill.disk.faults = .none }
  }

  @Test func `a full directory with a removal outstanding is served from again after its disk was sick`() async throws {
    let spill = SpillOnSimulatedDisk(segment: 64 << 10, segments: 3) {
      $0.refusesWhenFull = true
      $0.writeDelay = .seconds(1000)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<200 {
      source.put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    // The last file has room for some.
    var removed = 0
    while !store.state.withLock({ $0.staging.hasRemovals }) {
      source.erase(removed..<removed + 1, in: store)
      removed += 1
      try? await store.flush()
    }
    spill.disk.faults = .always(.read, .fail(.ioError))
    let last = (0..<200).filter { source.isIn(store, $0) }
    for block in last.suffix(3) { #expect(await source.load(block, in: store) == nil) }
    #expect(store.counts().breaker == .open)
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    // The removal is tried first, and finds no room.
    await #expect(throws: ReadError.self) { try await store.flush() }
    for block in last.prefix(10) {
      #expect(await source.load(block, in: store) == source.expected(source.block(block)))
    }
    #expect(store.counts().breaker == .closed)
    #expect((0..<removed).allSatisfy { !source.isIn(store, $0) })
    try? await store.close()
  }
}
