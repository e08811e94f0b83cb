import Foundation
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What becomes of segments whose `store` is gone or damaged.
@Suite struct SpillLostRootTests {
  private func filled() async throws -> SpillOnDisk {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<60 {
      #expect(source.put(block, in: store))
      if block % 10 == 9 { try await store.flush() }
    }
    try await store.close()
    return spill
  }

  private func names(_ spill: SpillOnDisk) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: spill.configuration.directory).filter { $0 != "quota" }.sorted()
  }

  @Test(arguments: [true, false]) func `they are deleted, so that they take no space beyond the limit`(
    isDamaged: Bool
  ) async throws {
    let spill = try await filled()
    let root = URL(fileURLWithPath: spill.configuration.directory + "/store")
    if isDamaged {
      var bytes = try Data(contentsOf: root)
      bytes[20] ^= 1
      try bytes.write(to: root)
      chmod(root.path, 0o600)
    } else {
      try FileManager.default.removeItem(at: root)
    }
    let store = try await spill.open()
    #expect(store.isEmpty)
    #expect(try names(spill) == ["lock", "store"])
    try await store.close()
  }

  @Test func `they are left alone if another version wrote them`() async throws {
    let spill = try await filled()
    let path = spill.configuration.directory
    try FileManager.default.removeItem(atPath: path + "/store")
    let segment = URL(fileURLWithPath: path + "/" + SpillFormat.segmentName(1))
    var bytes = try Data(contentsOf: segment)
    bytes[8] = 2
    let check = bytes.prefix(12).withUnsafeBytes { CRC32C.of($0) }
    for place in 0..<4 { bytes[12 + place] = UInt8(truncatingIfNeeded: check >> (8 * place)) }
    try bytes.write(to: segment)
    chmod(segment.path, 0o600)
    let before = try names(spill)
    await #expect { try await spill.open() } throws: { ($0 as? ReadError)?.code == .unsupportedFormat }
    #expect(throws: ReadError.self) { try SpillInspection(path) }
    #expect(throws: ReadError.self) { try SpillClearing.clear(path) }
    #expect(try names(spill) == before)
    #expect(try Data(contentsOf: segment) == bytes)
  }
}
