import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Files in a spill directory that somebody has changed from outside.
@Suite struct SpillOddFilesTests {
  private func filled(_ spill: SimulatedSpill, _ blocks: Range<Int> = 0..<8) async throws {
    let store = try spill.open()
    for block in blocks { FillSource(store.sources).put(block, in: store) }
    try await store.close()
  }

  // MARK: names of sources

  @Test func `what is removed under another name of its source stays removed`() async throws {
    let spill = SimulatedSpill()
    func source(_ name: String) -> SourceDescription {
      SourceDescription(
        id: "object", name: name, validator: ModelValidator(number: 1), byteCount: 1 << 20,
        preferredBlockSize: .kibibytes(4))
    }
    let first = try spill.open()
    try await first.store(FillSource.bytes(0..<4096, BlockGrid(blockSize: 4096)!), at: 0..<4096, of: source("one"))
    try await first.close()
    let store = try spill.open()
    #expect(store.counts().blocks == 1)
    store.erase(0..<4096, ofVersion: source("another"))
    #expect(store.counts().blocks == 0)
    try await store.close()
  }

  // MARK: sizes

  @Test(arguments: [(1 << 34) + 4096, 1 << 35]) func `a segment that was stretched is opened, and keeps its blocks`(
    size: Int
  ) async throws {
    let spill = SimulatedSpill()
    try await filled(spill)
    let path = spill.path(spill.segments[0])
    spill.disk.truncateFile(path, to: size)
    let store = try spill.open()
    #expect(FillSource(store.sources).served(0..<8, by: store) == Set(0..<8))
    #expect(store.counts().bytes < 1 << 20)
    try await store.close()
  }

  @Test func `no memory is taken for a footer that cannot be as long as its trailer says`() throws {
    let size = 1 << 33
    var trailer = [UInt8](repeating: 0, count: SpillFormat.trailerCount)
    trailer.withUnsafeMutableBytes {
      SpillTrailer.write(footerAt: SpillFormat.headerCount, length: size, segmentCheck: 7, to: $0)
    }
    let file = SparseFile(size: size, end: trailer)
    #expect(try SpillReader(file, check: 7, length: size).footer() == nil)
    #expect(file.mostRead.withLock { $0 } <= 64)
  }

  @Test func `a floor that no disk can keep refuses what would be written`() async throws {
    let spill = SimulatedSpill { $0.freeSpaceFloor = .bytes(.max) }
    let store = try spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.flush()
    #expect(store.isEmpty && store.counts().dropped == 1)
    try await store.close()
  }

  // MARK: segments whose first write was cut short

  @Test(arguments: 1..<8, [0, 59])
  func `a segment whose header was cut short is removed, and what only looks like it stays`(
    written: Int, zeros: Int
  ) async throws {
    let spill = SimulatedSpill()
    try await filled(spill)
    let start = Array("RIOSPILL".utf8.prefix(written))
    let (torn, other) = (SpillFormat.segmentName(100), SpillFormat.segmentName(101))
    spill.disk.setContents(of: spill.path(torn), start + [UInt8](repeating: 0, count: zeros))
    spill.disk.setContents(of: spill.path(other), start + [1])
    let store = try spill.open()
    #expect(FillSource(store.sources).served(0..<8, by: store) == Set(0..<8))
    #expect(spill.disk.contents(of: spill.path(torn)) == nil)
    #expect(spill.disk.contents(of: spill.path(other)) == start + [1])
    try await store.close()
  }

  @Test(arguments: ["lock", "store.new"], 0..<8)
  func `a directory whose first file was cut short is taken`(name: String, written: Int) async throws {
    let spill = SimulatedSpill()
    try await spill.open().close()
    for file in spill.disk.files {
      try spill.disk.newProcess().openDirectory(SimulatedSpill.directory).remove(file.lastComponent!.string)
    }
    spill.disk.setContents(of: spill.path(name), Array("RIOSPILL".utf8.prefix(written)))
    let store = try spill.open()
    #expect(FillSource(store.sources).put(1, in: store))
    try await store.close()
  }

  // MARK: segments that are left out

  @Test func `sequences go on beyond a segment that was left out when the newest has no record`() async throws {
    let spill = SimulatedSpill()
    try await filled(spill)
    let name = spill.segments[0]
    let header = try #require(spill.disk.contents(of: spill.path(name))).prefix(SpillFormat.headerCount)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let known = try #require(Array(header).withUnsafeBytes { SpillSegmentHeader.read($0)?.header })
    var next = known
    next.number += 1
    _ = bytes.withUnsafeMutableBytes { next.write(to: UnsafeMutableRawBufferPointer(rebasing: $0[..<64])) }
    spill.disk.setContents(of: spill.path(SpillFormat.segmentName(next.number)), bytes)
    spill.disk.faults = DiskFaults { $0.kind == .read && $0.name == name ? .fail(.ioError) : nil }
    let store = try spill.open()
    #expect(store.counts().segmentsLeftOut == 1)
    #expect(store.writer.appender.lastSequence > 8)
    FillSource(store.sources).erase(0..<8, in: store)
    try await store.close()
    spill.disk.faults = .none
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<8, by: again) == [])
    try await again.close()
  }

  @Test func `a segment that becomes writable for others is not read again once it was closed`() async throws {
    let spill = SimulatedSpill { $0.maxOpenFiles = 1 }
    try await filled(spill)
    try await filled(spill, 8..<16)
    let path = spill.path(spill.segments[0])
    let store = try spill.open()
    let source = FillSource(store.sources)
    #expect(await source.fetched(0..<16, by: store) == Set(0..<16))
    spill.disk.setOwner(of: path, mode: 0o620)
    #expect(await source.fetched(0..<8, by: store) == [])
    #expect(await source.fetched(8..<16, by: store) == Set(8..<16))
    try await store.close()
  }
}

/// A file of zeros, but for its end.
private final class SparseFile: SpillFile {
  let size: Int
  let end: [UInt8]
  let mostRead = Locked(0)

  init(size: Int, end: [UInt8]) { (self.size, self.end) = (size, end) }

  func status() throws(Errno) -> DiskStatus { throw .ioError }
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    mostRead.withLock { $0 = max($0, buffer.count) }
    guard buffer.count <= 1 << 20 else { throw .noMemory }
    for place in buffer.indices {
      let position = offset + place - (size - end.count)
      buffer[place] = end.indices.contains(position) ? end[position] : 0
    }
    return buffer.count
  }
  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? { nil }
  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) { throw .ioError }
  func allocate(_ count: Int) throws(Errno) { throw .ioError }
  func truncate(_ count: Int) throws(Errno) { throw .ioError }
  func sync() throws(Errno) { throw .ioError }
  func lock(exclusively: Bool) throws(Errno) -> Bool { true }
  func unlock() throws(Errno) {}
  func beginWriting(_ count: Int, at offset: Int) {}
}
