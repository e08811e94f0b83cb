#if Tool
import Foundation
import RangeIO
import SystemPackage
import Testing

@testable import RangeIOTool

/// Files with holes: what the file system says of them, and commands that do not read them.
@Suite(.serialized) struct FileHolesTests {
  let directory: TemporaryDirectory
  /// 256 MiB, of which three pieces are data.
  static let byteCount = 256 << 20
  static let piece = noise(100_000)
  static let places = [1 << 20, 100 << 20 + 4096 * 3, byteCount - 100_000]
  let source: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.sparseFile("sparse", byteCount: Self.byteCount)
    for place in Self.places { try Self.write(Self.piece, to: source, at: place) }
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -2)], ofItemAtPath: source)
  }

  private static func write(_ bytes: [UInt8], to path: String, at offset: Int) throws {
    let file = try FileDescriptor.open(path, .writeOnly)
    _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: Int64(offset), bytes) }
  }

  /// Whether the file system here has holes, and tells of them: by what it says of a file that is nothing else.
  private func tellsHoles() throws -> Bool {
    #if canImport(Darwin)
    let nextData: CInt = 4
    #else
    // `SEEK_DATA`, which the C library does not show to Swift.
    let nextData: CInt = 3
    #endif
    let file = try FileDescriptor.open(directory.sparseFile("hole", byteCount: 1 << 20), .readOnly)
    return try file.closeAfter { lseek(file.rawValue, 0, nextData) < 0 && errno == ENXIO }
  }

  private func holes(of path: String, in range: ByteRange) async throws -> FileHoles.Found {
    let file = FileSource(path)
    let description = try await file.describe()
    let found = try await #require(FileHoles(file)).next(in: range, of: description)
    await file.close()
    return found
  }

  /// The bytes that `path` takes on the disk.
  private func allocated(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : -1
  }

  private func bytesRead(_ result: ToolResult) throws -> Int {
    let words = result.errors.split(separator: " ")
    let place = try #require(words.firstIndex(of: "bytes,"))
    return try #require(Int(words[place - 1]))
  }

  /// Whether the files have the same bytes.
  private func haveEqualBytes(_ a: String, _ b: String) async throws -> Bool {
    try await tool([a, b], program: "/usr/bin/cmp").code == 0
  }

  // MARK: what is found

  @Test func `holes lie between data, which has whole blocks`() async throws {
    guard try tellsHoles() else { return }
    let found = try await holes(of: source, in: 0..<Self.byteCount)
    #expect(found.end == Self.byteCount)
    #expect(found.holes.count == 3)
    for place in Self.places {
      #expect(found.holes.allSatisfy { !$0.overlaps(place..<place + Self.piece.count) }, "\(place)")
    }
    #expect(found.holes.reduce(0) { $0 + $1.count } > Self.byteCount - 3 * (Self.piece.count + 2 * 65_536))
    // Part of one, and what is too short to matter.
    #expect(try await holes(of: source, in: 5000..<500_000).holes == [5000..<500_000])
    #expect(try await holes(of: source, in: 5000..<6000) == .init(end: 6000))
  }

  @Test func `a file without holes has none, and other sources are not asked`() async throws {
    let full = try directory.file("full", Self.piece)
    #expect(try await holes(of: full, in: 0..<100_000) == .init(end: 100_000))
    #expect(FileHoles(MadeUpSource(byteCount: 1 << 20)) == nil)
  }

  @Test func `a file that has changed has no holes to tell`() async throws {
    let file = FileSource(source)
    let description = try await file.describe()
    try Self.write([1], to: source, at: 50 << 20)
    let error = await #expect(throws: ReadError.self) {
      _ = try await FileHoles(file)?.next(in: 0..<Self.byteCount, of: description)
    }
    #expect(error?.code == .sourceChanged)
    await file.close()
  }

  // MARK: commands

  @Test func `copy reads the data alone, and makes the same holes`() async throws {
    let copy = directory("copy")
    let result = try await tool("copy", source, copy, "--stats")
    #expect(result.code == 0, "\(result.errors)")
    #expect(try await haveEqualBytes(source, copy))
    guard try tellsHoles() else { return }
    #expect(try bytesRead(result) <= 8 << 20)
    #expect(allocated(copy) <= 2 << 20)
    // All of it, and a hole at the end.
    let hole = try directory.sparseFile("only", byteCount: Self.byteCount)
    let second = try await tool("copy", hole, copy, "--stats", "--force")
    #expect(try second.code == 0 && bytesRead(second) == 0, "\(second.errors)")
    #expect(try await haveEqualBytes(hole, copy))
  }

  @Test func `copy goes on over holes, whatever an earlier copy has left there`() async throws {
    let target = try CopyTarget(directory("copy"), naming: nil, force: false)
    let file = FileSource(source)
    let layout = CopyLayout(byteCount: Self.byteCount)
    // Until the clock of the file's times has gone on.
    var identity: CopyJournal.Identity?
    while identity == nil { identity = CopyJournal.Identity(try await file.describe(), layout) }
    await file.close()
    do {
      let begun = try PartFile.open(target, identity, layout, restarts: false) { _ in }
      var cursor = try #require(begun.journal)
      // A piece that is noted, of zeros, and bytes that nothing is noted of.
      try begun.file.note(cursor.write([CopyJournal.Record(piece: 0, sum: ZeroSums(layout)[0])]))
      try begun.file.write(Bytes(Self.piece), at: 50 << 20)
    }
    let result = try await tool("copy", source, target.path)
    #expect(result.code == 0 && result.errors.contains("going on"), "\(result.errors)")
    #expect(try await haveEqualBytes(source, target.path))
  }

  @Test(arguments: [">", ">>", "1<>", "| cat >"])
  func `cat gives the same bytes whatever its output is`(redirection: String) async throws {
    let copy = directory("copy")
    let result = try await tool(
      ["-c", "\"$0\" cat --stats \"$1\" \(redirection) \"$2\"", ToolProcess.path, source, copy], program: "/bin/sh")
    #expect(result.code == 0, "\(result.errors)")
    #expect(try await haveEqualBytes(source, copy))
    guard try tellsHoles() else { return }
    #expect(try bytesRead(result) <= 8 << 20)
    if [">", "1<>"].contains(redirection) { #expect(allocated(copy) <= 2 << 20) }
  }

  @Test func `zeros replace what a file has behind the position`() async throws {
    let copy = try directory.file("copy", [UInt8](repeating: 7, count: 2 << 20))
    let result = try await tool(
      ["-c", "\"$0\" cat \"$1\" 1<> \"$2\"", ToolProcess.path, source, copy], program: "/bin/sh")
    #expect(result.code == 0, "\(result.errors)")
    #expect(try await haveEqualBytes(source, copy))
  }

  @Test func `an output file has the holes of the ranges`() async throws {
    let copy = directory("copy")
    let result = try await tool(
      "read", source, "--range", "0..<64M", "--range", "1M..<2M", "--range=-1M", "--output", copy, "--stats")
    #expect(result.code == 0, "\(result.errors)")
    let all = try contents(source)
    let expected = all[..<(64 << 20)] + all[(1 << 20)..<(2 << 20)] + all.suffix(1 << 20)
    #expect(areEqual(try contents(copy), expected))
    guard try tellsHoles() else { return }
    #expect(try bytesRead(result) <= 8 << 20)
    #expect(allocated(copy) <= 2 << 20)
  }

  // MARK: what a plan makes of them

  @Test func `whole pieces within a hole are finished, and no others`() throws {
    let layout = CopyLayout(byteCount: 10 * 65_536 + 100, pieceSize: 65_536)
    var plan = CopyPlan(layout, .arriving(1), finished: RangeSet(3..<4), journal: nil)
    #expect(plan.take(within: 1..<65_536).isEmpty)
    #expect(plan.take(within: 65_000..<5 * 65_536 + 1) == [1..<3, 4..<5])
    #expect(plan.take(within: 2 * 65_536..<6 * 65_536) == [5..<6])
    #expect(plan.take(within: 9 * 65_536..<layout.byteCount) == [9..<11])
    #expect(plan.missingBytes == 65_536 * 4)
    for pieces in [1..<3, 4..<5, 5..<6, 9..<11] { plan.finish(zeros: pieces) }
    #expect(plan.finishedBytes == layout.byteCount - 65_536 * 4)
    let zeros = ZeroSums(layout)
    #expect(zeros[10] == [UInt8](repeating: 0, count: 100).withUnsafeBytes { CRC32C.of($0) })
    #expect(zeros[9] == [UInt8](repeating: 0, count: 65_536).withUnsafeBytes { CRC32C.of($0) })
  }

  @Test func `a hole of any size takes no memory, and nothing is noted of it`() throws {
    let layout = CopyLayout(byteCount: 7 << 60)
    let identity = CopyJournal.Identity(source: Array(0..<32), version: Array(1..<33), layout: layout)
    var plan = CopyPlan(layout, .arriving(8), finished: RangeSet(5..<6), journal: CopyJournal.Cursor(identity))
    let runs = plan.take(within: 0..<layout.byteCount)
    #expect(runs == [0..<5, 6..<7 << 40])
    for run in runs { plan.finish(zeros: run) }
    #expect(plan.isComplete && plan.next() == nil)
    #expect(plan.note() == nil)
  }
}
#endif
