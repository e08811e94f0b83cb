import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What the user called a source is found in the directory, and does not tell it from others.
struct SpillNamesTests {
  private let grid = BlockGrid(blockSize: 4096)!

  private func source(_ name: String?, version: Int = 1) -> SourceDescription {
    SourceDescription(
      id: "file:1:2", name: name, validator: ModelValidator(number: version), byteCount: 1 << 20,
      preferredBlockSize: .kibibytes(4))
  }

  @Test func `a name is written down with an identity and is no part of it`() throws {
    let named = try #require(SpillIdentity(source("/data/a"), grid))
    let linked = try #require(SpillIdentity(source("/link/to/a"), grid))
    let unnamed = try #require(SpillIdentity(source(nil), grid))
    #expect(named == linked && named == unnamed && Set([named, linked, unnamed]).count == 1)
    #expect(named.check == linked.check && named.check == unnamed.check)
    #expect(named.check == unnamed.bytes.withUnsafeBytes { CRC32C.of($0) }, "as it was before there were names")
    #expect([named, linked, unnamed].map(\.name) == ["/data/a", "/link/to/a", "file:1:2"])
    #expect(named.id == unnamed.id && named.version == unnamed.version && named.byteCount == unnamed.byteCount)
    let again = try #require(named.bytes.withUnsafeBytes { SpillIdentity($0) })
    #expect(again == named && again.name == "/data/a")
    #expect(try #require(SpillIdentity(source("/data/a", version: 2), grid)) != named)
    #expect(SpillIdentity(source(String(repeating: "a", count: 5000)), grid)?.name == "file:1:2")
    #expect(named.bytes.dropLast().withUnsafeBytes { SpillIdentity($0) } == nil)
  }

  @Test func `a directory is listed by names, and found by another name, too`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    let store = try await spill.open()
    try await store.store(Bytes(repeatElement(7, count: 8192)), at: 0..<8192, of: source("/data/a"))
    let inUse = try SpillInspection(spill.configuration.directory).survey()
    #expect(inUse.sources.map(\.name) == ["/data/a"] && inUse.sources.map(\.id) == ["file:1:2"])
    try await store.close()
    #expect(try SpillInspection(spill.configuration.directory).survey().sources.map(\.name) == ["/data/a"])
    let found = try SpillInspection(spill.configuration.directory).verify { _ in }
    #expect(found.damages.isEmpty)

    let later = try await spill.open()
    let token = later.sources.token(for: source("/link"), grid: grid, reading: false).0
    #expect(later.holds(0..<8192, token: token.number, grid: grid))
    try await later.close()
    #expect(try SpillInspection(spill.configuration.directory).survey().sources.map(\.name) == ["/data/a"])
  }
}
