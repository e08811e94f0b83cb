import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

@Suite struct SpillInspectionTests {
  /// A directory of two sources in several segments, closed.
  private func filled(
    blocks: Int = 60, _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) async throws -> SpillOnDisk {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) {
      $0.segmentSize = .kibibytes(64)
      $0.codec = IdentityCodec()
      change(&$0)
    }
    let store = try await spill.open()
    let sources = [FillSource(store.sources), FillSource(store.sources, id: "other", byteCount: 10 * 4096 + 7)]
    for block in 0..<blocks {
      #expect(sources[0].put(block, in: store))
      if block <= 10 { #expect(sources[1].put(block, in: store)) }
      if block % 10 == 9 { try await store.flush() }
    }
    try await store.close()
    return spill
  }

  /// Where the records of a segment begin.
  private func records(of segment: Data) -> [Int] {
    segment.indices.dropFirst(64).filter { $0 % 8 == 0 && segment[$0..<$0 + 4] == Data("RIOR".utf8) }
  }

  private func inspection(_ spill: SpillOnDisk) throws -> SpillInspection {
    try SpillInspection(spill.configuration.directory)
  }

  @Test func `a file that was stretched is damaged, and costs no more to verify than what is in it`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<8 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
    let whole = try SpillInspection("/spill", on: spill.disk.newProcess()).verify()
    spill.disk.truncateFile(spill.path(spill.segments[0]), to: 1 << 40)
    let reads = spill.disk.count(of: .read)
    let inspection = try SpillInspection("/spill", on: spill.disk.newProcess())
    let found = try inspection.verify()
    #expect(found.chunks == 8 && whole.damaged == 0 && found.damaged == 1)
    #expect(found.damages.first?.reason.contains("more than any segment") == true)
    #expect(spill.disk.count(of: .read) - reads < 40)
    #expect(try inspection.survey().sources.map(\.blocks) == [8] && inspection.byteCount() == 1 << 40)
  }

  @Test func `a record that was forged takes no more memory than its format allows`() async throws {
    let spill = SimulatedSpill { $0.codec = LZ4Codec() }
    let store = try spill.open()
    FillSource(store.sources).put(0, in: store)
    try await store.close()
    let path = spill.path(spill.segments[0])
    let whole = try #require(spill.disk.contents(of: path))
    let check = whole.withUnsafeBytes { $0.number(60, UInt32.self) }
    /// The reasons of what is damaged, after a change of records whose sums are right again.
    func damages(_ change: (inout SpillRecord) -> Void) throws -> [String] {
      var bytes = whole
      bytes.withUnsafeMutableBytes { bytes in
        for place in stride(from: 64, to: bytes.count - 64, by: 8) {
          let header = bytes.part(place, 64)
          guard var record = SpillRecord(.init(header), segmentCheck: check) else { continue }
          change(&record)
          record.write(to: header, segmentCheck: check)
        }
      }
      spill.disk.setContents(of: path, bytes)
      return try SpillInspection("/spill", on: spill.disk.newProcess()).verify().damages.map(\.reason)
    }
    #expect(try damages { _ in } == [])
    // Without its source, the size of its block is not known.
    let bomb = try damages { record in
      if record.kind == .source { record.payloadCheck ^= 1 }
      if record.kind == .chunk { record.count = 1 << 30 }
    }
    #expect(bomb == ["its payload is damaged", "it is too short for its bytes"])
    for kind in [SpillRecord.Kind.chunk, .source, .tombstone] {
      // What it claims is not looked for in the file.
      let long = try damages { record in
        if record.kind == .source { (record.kind, record.stored, record.count) = (kind, .max, .max) }
      }
      #expect(long.first == "there is no record", "\(kind)")
    }
  }

  @Test func `a survey tells what a store finds`() async throws {
    let spill = try await filled()
    let survey = try inspection(spill).survey()
    #expect(survey.sources.map(\.id) == ["fill", "other"])
    #expect(survey.sources.map(\.blocks) == [60, 11])
    #expect(survey.sources.map(\.decodedBytes) == [60 * 4096, 10 * 4096 + 7])
    #expect(survey.sources.map(\.storedBytes) == [60 * 4096, 10 * 4096 + 7])
    #expect(survey.sources.allSatisfy { $0.blockSize == 4096 && !$0.version.isEmpty })
    #expect(survey.segments.count > 3 && survey.segments.allSatisfy(\.isSealed))
    #expect(survey.segments.reduce(0) { $0 + $1.chunks } == 71)
    #expect(survey.segments.map(\.number) == survey.segments.map(\.number).sorted())
    let store = try await spill.open()
    #expect(store.counts().blocks == 71)
    #expect(store.counts().storedBytes == survey.sources.reduce(0) { $0 + $1.storedBytes })
    try await store.close()
  }

  @Test func `a directory in use is surveyed and verified`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<20 { #expect(source.put(block, in: store)) }
    try await store.flush()
    source.token.raiseGeneration()
    store.erase(source.block(3), of: source.token)
    try await store.flush()
    let survey = try inspection(spill).survey()
    #expect(survey.sources.map(\.blocks) == [19])
    #expect(survey.segments.map(\.isSealed) == [false] && survey.segments[0].tombstones == 1)
    let found = try inspection(spill).verify()
    #expect(found.damaged == 0 && found.unfinished == 0 && found.chunks == 20 && found.tombstones == 1)
    #expect(throws: ReadError.self) { try SpillClearing.clear(spill.configuration.directory) }
    #expect(found.decodedBytes == 20 * 4096 && found.storedBytes < found.decodedBytes)
    try await store.close()
  }

  @Test func `every byte that is changed is found`() async throws {
    // Blocks that end off the eighths, so that there are zeros between records, too.
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(32) }
    let store = try await spill.open()
    let source = FillSource(store.sources, byteCount: 2 * 512 + 13, blockSize: 512)
    for block in 0..<3 { #expect(source.put(block, in: store)) }
    try await store.flush()
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    try await store.close()
    for name in ["store", SpillFormat.segmentName(1)] {
      let url = URL(fileURLWithPath: spill.configuration.directory + "/" + name)
      let whole = try Data(contentsOf: url)
      for place in whole.indices {
        var flipped = whole
        flipped[place] ^= 1 << UInt8(place % 8)
        try flipped.write(to: url)
        chmod(url.path, 0o600)
        let found = try inspection(spill).verify()
        #expect(found.damaged > 0, "\(name) at \(place)")
      }
      try whole.write(to: url)
      chmod(url.path, 0o600)
    }
    #expect(try inspection(spill).verify().damaged == 0)
  }

  @Test func `verifying goes on behind what is damaged, and says where it is`() async throws {
    let spill = try await filled()
    let url = URL(fileURLWithPath: spill.configuration.directory + "/" + SpillFormat.segmentName(2))
    let whole = try Data(contentsOf: url)
    let before = try inspection(spill).verify()
    // The header of one record, and the payload of another.
    let records = records(of: whole)
    let chunks = records.filter { whole[$0 + 4] == 1 }
    var flipped = whole
    flipped[chunks[2] + 20] ^= 1
    flipped[chunks[5] + 100] ^= 1
    try flipped.write(to: url)
    chmod(url.path, 0o600)
    let found = try inspection(spill).verify()
    #expect(found.damages.map(\.segment) == [2, 2])
    #expect(found.damages.map(\.offset) == [chunks[2], chunks[5]])
    #expect(found.records == before.records - 2)
    let store = try await spill.open()
    try await store.close()
  }

  @Test func `a header that stands where another belongs hides no record behind it`() async throws {
    let spill = try await filled()
    let url = URL(fileURLWithPath: spill.configuration.directory + "/" + SpillFormat.segmentName(2))
    let whole = try Data(contentsOf: url)
    let before = try inspection(spill).verify()
    let records = records(of: whole)
    let chunks = records.filter { whole[$0 + 4] == 1 }
    let source = try #require(records.first { whole[$0 + 4] == 2 })
    let footer = try #require(records.last)
    // From where to where a header is copied, and how many chunks that costs: the end of a segment, a length that reaches past
    // the next record, and one that reaches past the end of the file.
    for (from, to, lost) in [(footer, chunks[2], 1), (chunks[0], source, 0), (chunks[0], footer - 72, 1)] {
      #expect(whole[chunks[0] + 48..<chunks[0] + 52] == Data([0, 16, 0, 0]))
      var changed = whole
      changed.replaceSubrange(to..<to + 64, with: whole[from..<from + 64])
      try changed.write(to: url)
      chmod(url.path, 0o600)
      let found = try inspection(spill).verify()
      #expect(found.chunks == before.chunks - lost && found.damaged > 0, "\(from) at \(to)")
      // One record is lost, and none behind it: not the footer either.
      #expect(found.records == before.records - 1, "\(from) at \(to)")
      let survey = try inspection(spill).survey()
      #expect(survey.segments.reduce(0) { $0 + $1.chunks } == before.chunks)
    }
  }

  @Test func `what a killed process left is no damage`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<8 { #expect(source.put(block, in: store)) }
    try await store.flush()
    let copy = spill.directory.path("copy")
    try FileManager.default.copyItem(atPath: spill.configuration.directory, toPath: copy)
    chmod(copy, 0o700)
    try await store.close()
    let url = URL(fileURLWithPath: copy + "/" + SpillFormat.segmentName(1))
    let whole = try Data(contentsOf: url)
    let end = try #require(whole.lastIndex { $0 != 0 })
    // Cut short in the last record, where the rest is zeros.
    for cut in [end, end - 8, end - 40] {
      var torn = whole
      torn.replaceSubrange(cut..., with: Data(count: whole.count - cut))
      try torn.write(to: url)
      chmod(url.path, 0o600)
      let found = try SpillInspection(copy).verify()
      #expect(found.damaged == 0 && found.unfinished == 1 && found.chunks == 7, "\(cut)")
    }
    // An empty file, one that was only set aside, and some whose header was cut short.
    for leftover in [Data(), Data(count: 65_536), Data("RIOSP".utf8), Data("RIOSP".utf8) + Data(count: 59)] {
      try leftover.write(to: url)
      chmod(url.path, 0o600)
      let found = try SpillInspection(copy).verify()
      #expect(found.damaged == 0 && found.unfinished == 1)
    }
  }

  @Test func `a listing of nothing says so, and what is no spill directory is refused`() throws {
    let directory = try TemporaryDirectory()
    func code(_ path: String) -> ReadError.Code? {
      do { _ = try SpillInspection(path) } catch { return error.code }
      return nil
    }
    #expect(code(directory.path("missing")) == .notFound)
    chmod(directory.path(""), 0o700)
    #expect(code(directory.path("")) == .notFound)
    try Data("x".utf8).write(to: URL(fileURLWithPath: directory.path("file")))
    #expect(code(directory.path("file")) == .notFound)
    #expect(code(directory.path("")) == .invalidConfiguration)
  }

  @Test func `clearing removes what is ours and nothing else`() async throws {
    let spill = try await filled()
    let path = spill.configuration.directory
    for name in ["mine", "0000000000000001.bak", "00000000000000FF"] {
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }
    try FileManager.default.createSymbolicLink(
      atPath: path + "/00000000000000aa", withDestinationPath: path + "/mine")
    let cleared = try SpillClearing.clear(path)
    #expect(cleared.segments > 3 && cleared.byteCount > 71 * 4096 && cleared.privateDirectoriesLeft == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
        "0000000000000001.bak", "00000000000000FF", "00000000000000aa", "mine",
      ])
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: path + "/" + name)
    }
    #expect(try SpillClearing.clear(path) == SpillClearing())
    let store = try await spill.open()
    #expect(store.isEmpty)
    try await store.close()
  }
}
