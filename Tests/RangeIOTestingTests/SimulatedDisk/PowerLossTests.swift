import RangeIO
import RangeIOTesting
import SystemPackage
import Testing

/// What a loss of power leaves.
@Suite struct PowerLossTests {
  private let disk = SimulatedDisk()
  private let directory: any SpillDirectory

  init() throws {
    let process = disk.newProcess()
    try process.makeDirectory("/top")
    directory = try process.openDirectory("/top")
    disk.syncEverything()
  }

  /// What every one of 200 losses of power leaves of a file; what `nil` stands for is no file.
  private func survivors(_ name: String) -> Set<[UInt8]?> {
    Set(
      (0..<200 as Range<UInt64>).map { seed in
        let copy = disk.copy()
        copy.losePower(seed: seed)
        return copy.contents(of: FilePath("/top").appending(name))
      })
  }

  @Test func `synced bytes under a synced name survive`() throws {
    let file = try directory.create("file")
    try file.write([1, 2, 3])
    try file.sync()
    try directory.sync()
    #expect(survivors("file") == [[1, 2, 3]])
  }

  @Test func `a name that was not synced may be lost, with all its bytes`() throws {
    let file = try directory.create("file")
    try file.write([1, 2, 3])
    try file.sync()
    #expect(survivors("file") == [nil, [1, 2, 3]])
  }

  @Test func `a rename that was not synced may be lost, and never costs both`() throws {
    for (name, byte) in [("old", UInt8(1)), ("new", 2)] {
      let file = try directory.create(name)
      try file.write([byte])
      try file.sync()
    }
    try directory.sync()
    try directory.rename("old", to: "new")
    #expect(survivors("old") == [nil, [1]])
    #expect(survivors("new") == [[1], [2]])
    for seed in 0..<50 as Range<UInt64> {
      let copy = disk.copy()
      copy.losePower(seed: seed)
      #expect((copy.contents(of: "/top/old") == nil) == (copy.contents(of: "/top/new") == [1]))
    }
  }

  @Test func `a removal that was not synced may be undone`() throws {
    let file = try directory.create("file")
    try file.write([1])
    try file.sync()
    try directory.sync()
    try directory.remove("file")
    #expect(survivors("file") == [nil, [1]])
    try directory.sync()
    #expect(survivors("file") == [nil])
  }

  @Test func `a file keeps to one name, whichever of its renames survive`() throws {
    try directory.create("a").write([1])
    disk.syncEverything()
    try directory.rename("a", to: "b")
    try directory.rename("b", to: "c")
    try directory.rename("c", to: "d")
    for seed in 0..<100 as Range<UInt64> {
      let copy = disk.copy()
      copy.losePower(seed: seed)
      #expect(copy.files.count == 1)
    }
  }

  @Test func `pages survive in any order, whole or torn at sectors`() throws {
    let file = try directory.create("file")
    try file.write(Array(repeating: 1, count: 3 * 4096))
    disk.syncEverything()
    for byte in 2...3 as ClosedRange<UInt8> { try file.write(Array(repeating: byte, count: 3 * 4096)) }
    let sectors = (0...3).map { Array(repeating: UInt8($0), count: 512) }
    var wholePages: Set<[UInt8]> = []
    var torn = 0
    for case let bytes? in survivors("file") {
      let left = try stride(from: 0, to: bytes.count, by: 512).map { start in
        try #require(sectors.firstIndex(of: Array(bytes[start..<start + 512])))
      }
      #expect(left.count == 3 * 8)
      let pages = stride(from: 0, to: left.count, by: 8).map { Set(left[$0..<$0 + 8]) }
      if pages.allSatisfy({ $0.count == 1 }) {
        wholePages.insert(pages.map { UInt8($0.first ?? 0) })
      } else {
        torn += 1
      }
    }
    #expect(wholePages.count > 20, "of 27 that are possible")
    #expect(torn > 20)
  }

  @Test func `bytes appended and not synced are there, missing, or zeros`() throws {
    let file = try directory.create("file")
    try file.write([1, 1])
    disk.syncEverything()
    try file.write([2, 2], at: 2)
    let left = survivors("file")
    #expect(left.isSuperset(of: [[1, 1], [1, 1, 2, 2], [1, 1, 0, 0]]))
    #expect(left.isSubset(of: [[1, 1], [1, 1, 2, 2], [1, 1, 0, 0], [1, 1, 2], [1, 1, 0]]))
  }

  @Test func `what was cut off before a loss of power does not come back by growing after it`() throws {
    let file = try directory.create("file")
    try file.write(Array(repeating: 1, count: 100))
    disk.syncEverything()
    try file.truncate(10)
    for seed in 0..<50 as Range<UInt64> {
      let copy = disk.copy()
      copy.losePower(seed: seed)
      let process = copy.newProcess()
      let count = try #require(copy.contents(of: "/top/file")).count
      let again = try process.openDirectory("/top").open("file", writing: true)
      try again.truncate(200)
      #expect(try again.bytes(200, at: count).allSatisfy { $0 == 0 })
    }
  }

  @Test func `after a failed sync the next one saves nothing that was not written again`() throws {
    let file = try directory.create("file")
    disk.syncEverything()
    try file.write([1])
    try file.write([1], at: 4096)
    disk.faults = .on(.sync, number: 0, .fail(.ioError))
    #expect(throws: Errno.ioError) { try file.sync() }
    try file.write([2], at: 4096)
    try file.sync()
    let left = survivors("file").compactMap { $0 }
    #expect(Set(left.map { $0[0] }) == [0, 1])
    #expect(Set(left.map { $0[4096] }) == [2])
  }

  @Test func `all processes are dead, and locks gone`() throws {
    let file = try directory.create("file")
    #expect(try file.lock(exclusively: true))
    disk.syncEverything()
    disk.losePower(seed: 1)
    #expect(throws: Errno.badFileDescriptor) { try file.write([1]) }
    #expect(throws: Errno.badFileDescriptor) { try directory.names() }
    #expect(try disk.newProcess().openDirectory("/top").open("file", writing: true).lock(exclusively: true))
  }

  @Test func `room is counted anew`() throws {
    let kept = try directory.create("kept")
    try kept.allocate(8 * 4096)
    disk.syncEverything()
    try directory.remove("kept")
    let lost = try directory.create("lost")
    try lost.write([1])
    var counts: Set<Int> = []
    for seed in 0..<50 as Range<UInt64> {
      let copy = disk.copy()
      copy.losePower(seed: seed)
      counts.insert(copy.allocatedByteCount / 4096)
    }
    #expect(counts.isSuperset(of: [0, 1, 8, 9]))
    #expect(counts.isSubset(of: [0, 1, 8, 9]))
  }

  @Test func `the same seed leaves the same`() throws {
    for name in 0..<20 { try directory.create("file \(name)").write(Array(repeating: 7, count: 10_000)) }
    let (one, other) = (disk.copy(), disk.copy())
    one.losePower(seed: 5)
    other.losePower(seed: 5)
    #expect(one.files == other.files)
    for file in one.files { #expect(one.contents(of: file) == other.contents(of: file)) }
  }
}
