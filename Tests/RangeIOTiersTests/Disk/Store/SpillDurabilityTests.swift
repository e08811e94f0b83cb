import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What was flushed stays, what was removed stays away, and room comes back, when calls fail in between.
struct SpillDurabilityTests {
  /// Numbers of the segments that are on the disk, the oldest first.
  private func segments(_ spill: SpillOnSimulatedDisk) -> [UInt64] {
    spill.disk.files.compactMap { $0.lastComponent.flatMap { SpillFormat.segmentNumber($0.string) } }.sorted()
  }

  private func directory(_ spill: SpillOnSimulatedDisk) throws -> any SpillDirectory {
    try spill.disk.newProcess().openDirectory("/cache/spill")
  }

  // MARK: flushes

  @Test(.simulated) func `an original stays until its copy is durable, also if that failed before`() async throws {
    for seed in UInt64(0)..<20 {
      var spill = SpillOnSimulatedDisk(segments: 5) { $0.syncsEvery = .mebibytes(64) }
      let first = try await spill.open()
      let source = FillSource(first.sources)
      try await source.fill(0..<12, in: first)
      try await first.close()
      spill.configuration.maxOpenFiles = 4
      let store = try await spill.open()
      let again = FillSource(store.sources)
      // Read often, so that it is copied.
      for _ in 0..<3 { #expect(await again.load(0, in: store) == again.expected(again.block(0))) }
      // What was found cannot be made durable, once.
      let last = SpillFormat.segmentName(segments(spill).last!)
      let faults = Tally()
      spill.disk.faults = DiskFaults { call in
        guard call.kind == .sync, call.name == last, faults.now == 0 else { return nil }
        faults.change(by: 1)
        return .fail(.ioError)
      }
      for block in 20..<22 {
        again.put(block, in: store)
        store.writer.wake(isUrgent: true)
        await quiet()
        spill.clock.advance(by: .seconds(6))
      }
      #expect(again.isIn(store, 0) && faults.now == 1)
      spill.disk.losePower(seed: seed)
      let after = try await spill.open()
      let left = FillSource(after.sources)
      #expect(await left.load(0, in: after) == left.expected(left.block(0)), "seed \(seed)")
      try await after.close()
    }
  }

  @Test(.simulated) func `a flush does not wait for what comes after it`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 64)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    // Each write brings one more block, as tiers above may that evict as fast as this one writes.
    let (more, flush) = (Tally(), Promise<Void>())
    spill.disk.faults = DiskFaults { call in
      guard call.kind == .write, more.now < 100, !flush.isAnswered else { return nil }
      return .delay {
        more.change(by: 1)
        source.put(more.now, in: store)
      }
    }
    source.put(0, in: store)
    store.state.withLock { $0.note(flush: flush) }
    store.writer.startForWaiters()
    try await flush.value()
    #expect(source.isIn(store, 0) && more.now < 10)
    try await store.close()
  }

  @Test func `files that somebody has removed do not count as a sick disk`() async throws {
    let spill = SpillOnSimulatedDisk {
      $0.syncsEvery = .bytes(1)
      $0.maxOpenFiles = 2
    }
    let before = try await spill.open()
    try await FillSource(before.sources).fill(0..<21, in: before)
    try await before.close()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for number in segments(spill).prefix(5) { try directory(spill).remove(SpillFormat.segmentName(number)) }
    var failures = 0
    for block in 30..<36 {
      do { try await source.fill(block..<block + 1, in: store) } catch { failures += 1 }
    }
    #expect(failures <= 1 && store.counts().breakerOpenings == 0 && source.isIn(store, 35))
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }

  @Test func `what an opening could not write again is not found after a flush`() async throws {
    for seed in UInt64(0)..<20 {
      let spill = SpillOnSimulatedDisk(segment: 128 << 10) { $0.syncsEvery = .mebibytes(64) }
      let well = try await spill.open()
      try await FillSource(well.sources).fill(10..<11, in: well)
      try await well.close()
      let process = spill.disk.newProcess()
      let before = try await spill.open(process)
      spill.disk.faults = .always(.sync, .fail(.ioError))
      // `try?`: the flush fails, and the kernel has given up its bytes.
      try? await FillSource(before.sources).fill(0..<6, in: before)
      process.crash()
      spill.disk.faults = DiskFaults { call in
        call.kind == .write && SpillFormat.segmentNumber(call.name) != nil ? .fail(.noSpace) : nil
      }
      let found = try await spill.open()
      spill.disk.faults = .none
      let source = FillSource(found.sources)
      try await found.flush()
      let there = (0..<11).filter { source.isIn(found, $0) }
      spill.disk.losePower(seed: seed)
      let after = try await spill.open()
      let left = FillSource(after.sources)
      var right: [Int] = []
      for block in there where await left.load(block, in: after) == left.expected(left.block(block)) {
        right.append(block)
      }
      #expect(there.contains(10) && right == there, "seed \(seed)")
      try await after.close()
    }
  }

  // MARK: room

  @Test func `files left out for want of descriptors go before those that are known`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 12)
    let before = try await spill.open()
    try await FillSource(before.sources).fill(0..<36, in: before)
    try await before.close()
    spill.disk.faults = DiskFaults { call in
      call.kind == .open && SpillFormat.segmentNumber(call.name) != nil ? .fail(.tooManyOpenFiles) : nil
    }
    let store = try await spill.open()
    let leftOut = store.counts().segmentsLeftOut
    spill.disk.faults = .none
    let source = FillSource(store.sources)
    for block in 100..<160 { try await source.fill(block..<block + 1, in: store) }
    #expect(leftOut > 8 && store.counts().segmentsLeftOut < leftOut, "\(leftOut)")
    #expect((136..<160).filter { !source.isIn(store, $0) } == [])
    try await store.close()
  }

  @Test(arguments: [false, true])
  func `files that stay when all is removed go when room is needed`(isFull: Bool) async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .kibibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<21, in: store)
    let old = Set(segments(spill))
    spill.disk.faults = DiskFaults { call in
      switch call.kind {
      case .write where isFull && call.number == 0: .fail(.noSpace)
      case .remove where SpillFormat.segmentNumber(call.name) != nil: .fail(.ioError)
      default: nil
      }
    }
    _ = store.removeAll()
    // `try?`: it may fail, and is tried again.
    try? await store.flush()
    #expect(old.isSubset(of: segments(spill)))
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(6))
    try await store.flush()
    for block in 30..<70 { try await source.fill(block..<block + 1, in: store) }
    #expect(store.counts().dropped == 0 && old.isDisjoint(with: segments(spill)))
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }

  @Test func `files of an older epoch that cannot be removed do not keep the directory from opening`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    try await FillSource(store.sources).fill(0..<21, in: store)
    let old = Set(segments(spill))
    spill.disk.faults = DiskFaults { call in
      call.kind == .remove && SpillFormat.segmentNumber(call.name) != nil ? .fail(.noSpace) : nil
    }
    _ = store.removeAll()
    try await store.flush()
    try await store.close()
    let again = try await spill.open()
    spill.disk.faults = .none
    let source = FillSource(again.sources)
    #expect((0..<21).allSatisfy { !source.isIn(again, $0) })
    for block in 30..<60 { try await source.fill(block..<block + 1, in: again) }
    #expect(again.counts().dropped == 0 && old.isDisjoint(with: segments(spill)))
    #expect(SpillRecount(again, isAtRest: true).faults.isEmpty)
    try await again.close()
  }

  @Test func `a copy of the directory by hard links keeps its bytes`() async throws {
    let spill = try SpillOnDisk(limit: .kibibytes(64)) {
      $0.segmentSize = .kibibytes(16)
      $0.keepsFirstReads = true
      $0.codec = IdentityCodec()
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<3 { try await source.fill(block..<block + 1, in: store) }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(spill.directory.path("spill"))")
    let name = try #require(names.filter { SpillFormat.segmentNumber($0) != nil }.min())
    let path = "\(spill.directory.path("spill"))/\(name)"
    let copy = "\(spill.directory.path("copy"))"
    try FileManager.default.linkItem(atPath: path, toPath: copy)
    let bytes = FileManager.default.contents(atPath: path)
    for block in 10..<60 { try await source.fill(block..<block + 1, in: store) }
    try await store.close()
    #expect(!FileManager.default.fileExists(atPath: path))
    // What was written by then; the file may have got more.
    let written = try #require(bytes)
    let count = try #require(written.lastIndex { $0 != 0 }) + 1
    #expect(count > 4096 && FileManager.default.contents(atPath: copy)?.prefix(count) == written.prefix(count))
  }

  // MARK: removals

  /// A store with a removal of block 1 in its newest file. Returns the name of that file.
  private func removeOne(_ spill: SpillOnSimulatedDisk) async throws -> String {
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<7, in: store)
    source.erase(1..<2, in: store)
    try await store.close()
    return SpillFormat.segmentName(segments(spill).last!)
  }

  @Test(arguments: [Errno.permissionDenied, .notPermitted])
  func `a newer file that may not be opened has removed what it has removed`(errno: Errno) async throws {
    let spill = SpillOnSimulatedDisk()
    let newest = try await removeOne(spill)
    spill.disk.faults = DiskFaults { $0.kind == .open && $0.name == newest ? .fail(errno) : nil }
    let store = try await spill.open()
    #expect(!FillSource(store.sources).isIn(store, 1) && store.counts().segmentsLeftOut > 1)
    try await store.close()
    spill.disk.faults = .none
    let again = try await spill.open()
    let source = FillSource(again.sources)
    #expect(!source.isIn(again, 1) && source.isIn(again, 0) && source.isIn(again, 6))
    try await again.close()
  }

  @Test func `who opens to read beside a writer does not find what was removed before`() async throws {
    var spill = SpillOnSimulatedDisk()
    let newest = try await removeOne(spill)
    // The writer has copied the removal to a file that is not on the list, and removes this one.
    let directory = try directory(spill)
    spill.disk.faults = DiskFaults { call in
      guard call.kind == .open, call.name == newest else { return nil }
      // `try?`: it is there.
      return .delay { try? directory.remove(newest) }
    }
    spill.configuration.isReadOnly = true
    let store = try await spill.open()
    #expect(!FillSource(store.sources).isIn(store, 1))
    try await store.close()
  }
}
