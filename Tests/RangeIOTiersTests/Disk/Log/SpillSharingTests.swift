import CRangeIOSystem
import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Several processes, and what they leave.
@Suite struct SpillSharingTests {
  @Test func `a second process is told who has the directory`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.processNumber = 4711 }
    let store = try await spill.open()
    await #expect { _ = try await spill.open() } throws: { error in
      (error as? ReadError)?.code == .inUse && "\(error)".contains("process 4711")
    }
    try await store.close()
    try await spill.open().close()
  }

  @Test func `a process that has the directory open itself is told so`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    let store = try await spill.open()
    await #expect { _ = try await spill.open() } throws: {
      "\($0)".contains("is used by another store of this process")
    }
    try await store.close()
  }

  #if os(Linux)
    @Test func `a process that has the lock of one that forked it is named`() async throws {
      let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.processNumber = 4_194_305 }  // none has such a number
      try await spill.open().close()
      // Locked by this process, and left to one that inherits the open file: it waits for its input's end.
      let file = try FileDescriptor.open(spill.configuration.directory + "/lock", .readWrite)
      #expect(rio_disk_lock(file.rawValue, true) == 1)
      let waits = Pipe()
      let heir = Process()
      heir.executableURL = URL(fileURLWithPath: "/bin/cat")
      heir.standardInput = waits
      heir.standardOutput = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
      try heir.run()
      try file.close()
      await #expect {
        _ = try await spill.open()
      } throws: { error in
        (error as? ReadError)?.code == .inUse
          && "\(error)".contains("process \(heir.processIdentifier), which process 4194305 has forked")
      }
      try waits.fileHandleForWriting.close()
      heir.waitUntilExit()
      try await spill.open().close()
    }
  #endif

  @Test func `processes that share a directory share its limit`() async throws {
    let spill = SimulatedSpill { $0.isShared = true }
    let stores = [try spill.open(), try spill.open(), try spill.open()]
    for block in 0..<600 {
      for store in stores { FillSource(store.sources).put(block, in: store) }
      if block % 8 == 7 { for store in stores { try await store.flush() } }
      #expect(spill.disk.allocatedByteCount <= 1 << 20)
    }
    for store in stores {
      #expect(store.counts().written > 0)
      #expect(FillSource(store.sources).served(0..<600, by: store) != nil)
      try await store.close()
    }
    // Private ones go with their process.
    #expect(spill.disk.files.allSatisfy { $0.removingLastComponent() == SimulatedSpill.directory })
    let again = try spill.open()
    #expect(FillSource(again.sources).served(599..<600, by: again) == [599])
  }

  /// Writes blocks, a few at a time.
  private func put(_ blocks: Range<Int>, in store: SpillStore) async throws {
    for block in blocks {
      FillSource(store.sources).put(block, in: store)
      if block % 4 == 3 { try await store.flush() }
    }
    try await store.flush()
  }

  @Test func `a limit that is shared is waited for as an own one, when a reader lets go and not when others do`()
    async throws
  {
    let spill = SimulatedSpill(limit: .kibibytes(320)) {
      $0.isShared = true
      $0.time = ReadClock(ManualClock())
    }
    let stores = [try spill.open(), try spill.open()]
    // Two segments each: a third of this store has room within its own account.
    for store in stores { try await put(0..<24, in: store) }
    let store = stores[1]
    let source = FillSource(store.sources)
    var held = source.held(0..<24 * 4096, in: store)
    try await put(24..<48, in: store)
    #expect(store.ledger.bytes + 65_536 <= store.ledger.limit)
    #expect(store.counts().dropped > 0 && store.counts().segmentsFreed == 0)
    #expect(store.state.withLock { $0.isHeldUp })
    #expect(source.served(0..<24, by: store) == Set(0..<24))
    held = []
    try await store.flush()
    try await put(100..<104, in: store)
    #expect(source.served(100..<104, by: store) == Set(100..<104) && held.isEmpty)
    // One that has nothing to free waits for no reader.
    let third = try spill.open()
    try await put(0..<24, in: third)
    #expect(third.counts().written == 0 && third.counts().dropped > 0)
    #expect(third.state.withLock { !$0.isHeldUp && $0.writesPausedUntil != nil })
    for store in stores + [third] {
      #expect(store.miscounts() == [])
      try await store.close()
    }
  }

  @Test func `a limit that others have filled is not full, once they have ended`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(640)) { ($0.isShared, $0.keepsFirstReads) = (true, false) }
    let stores = [try spill.open(), try spill.open()]
    let store = stores[0]
    // Most of the room is the other's, so this one frees its own segments long before it has a limit's worth.
    try await put(0..<20, in: store)
    try await put(0..<90, in: stores[1])
    try await put(20..<60, in: store)
    #expect(store.counts().segmentsFreed > 0 && store.ledger.bytes < store.ledger.limit / 2)
    try await stores[1].close()
    try await put(100..<140, in: store)
    #expect(FillSource(store.sources).served(100..<140, by: store) == Set(100..<140))
    #expect(store.counts().rejectedAdmission == 0 && !store.state.withLock { $0.isFull })
    // Its own account fills; when most is removed, it is no longer full.
    try await put(200..<400, in: store)
    #expect(store.counts().rejectedAdmission > 0 && store.state.withLock { $0.isFull })
    #expect(store.miscounts() == [])
    try await store.close()
  }

  @Test(arguments: [false, true])
  func `files of others with a segment's name do not count towards a shared limit, and stay`(isPrivate: Bool)
    async throws
  {
    let spill = SimulatedSpill { $0.isShared = true }
    let stores = [try spill.open(), try spill.open()]
    let directory = spill.disk.files.map { $0.removingLastComponent() }
      .first { ($0 != SimulatedSpill.directory) == isPrivate }
    let file = try #require(directory).appending("00000000000000ab")
    spill.disk.setContents(of: file, [UInt8](repeating: 7, count: 2 << 20))
    for store in stores {
      let source = FillSource(store.sources)
      for block in 0..<40 { source.put(block, in: store) }
      try await store.flush()
      #expect(source.served(0..<40, by: store) == Set(0..<40))
      #expect(store.lastFailure == nil && store.counts().segmentsFreed == 0)
    }
    for store in stores { try await store.close() }
    #expect(spill.disk.contents(of: file)?.count == 2 << 20)
  }

  @Test func `a private directory that a crash left is reclaimed by the next process, whichever it is`() async throws {
    let spill = SimulatedSpill { $0.isShared = true }
    let main = try spill.open()
    for _ in 0..<3 {
      let process = spill.disk.newProcess()
      let store = try spill.open(in: process)
      FillSource(store.sources).put(1, in: store)
      try await store.flush()
      process.crash()
      // The one of the process before is gone.
      #expect(Set(spill.disk.files.map { $0.removingLastComponent() }).count == 2)
    }
    try await main.close()
    let next = try spill.open()
    #expect(Set(spill.disk.files.map { $0.removingLastComponent() }).count == 1)
    try await next.close()
  }

  @Test func `a private directory whose process is about to lock it stays with what is in it`() async throws {
    let spill = SimulatedSpill { $0.isShared = true }
    let main = try spill.open()
    let name = String(repeating: "a", count: 32)
    let shared = try spill.disk.newProcess().openDirectory(SimulatedSpill.directory)
    try shared.makeDirectory(name)
    let lock = spill.path(name).appending("lock")
    let disk = spill.disk
    let looks = Locked(0)
    spill.disk.faults = DiskFaults { call in
      guard call.name == name, call.kind == .names || call.kind == .removeDirectory else { return nil }
      // After the first look: at the second, if there is one, or when it is to be removed.
      let isNow = looks.withLock { looks in
        looks += 1
        return looks == 2
      }
      return isNow ? .delay { disk.setContents(of: lock, Array("RIOSPILL".utf8)) } : nil
    }
    let other = try spill.open()
    spill.disk.faults = .none
    #expect(looks.withLock { $0 } > 1 && spill.disk.contents(of: lock) != nil)
    for store in [main, other] { try await store.close() }
  }

  @Test func `a new private directory that another process takes for a leftover is made again`() async throws {
    let spill = SimulatedSpill { $0.isShared = true }
    let main = try spill.open()
    let times = Locked(0)
    spill.disk.faults = DiskFaults { call in
      guard call.kind == .makeDirectory, call.name.count == 32 else { return nil }
      return times.withLock { times in
        times += 1
        return times == 1 ? .fail(.noSuchFileOrDirectory) : nil
      }
    }
    let store = try spill.open()
    #expect(times.withLock { $0 } == 2 && FillSource(store.sources).put(1, in: store))
    for store in [main, store] { try await store.close() }
  }

  @Test func `after its store is damaged nothing of a directory is believed, and all of it is deleted`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<40 { FillSource(store.sources).put(block, in: store) }
    try await store.flush()
    try await store.close()
    for damage in 0..<2 {
      if damage == 0 { spill.disk.flipBit(of: spill.path("store"), at: 200) }
      if damage == 1 { spill.disk.truncateFile(spill.path("store"), to: 10) }
      let again = try spill.open()
      #expect(again.isEmpty && spill.segments == [])
      #expect(again.counts().bytes == SpillFormat.fixedBytes)
      FillSource(again.sources).put(1, in: again)
      try await again.close()
    }
  }
}
