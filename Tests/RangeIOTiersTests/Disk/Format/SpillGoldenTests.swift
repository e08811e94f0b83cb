import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Format version 1, byte for byte: what lies in `Golden/SpillVersion1` is read, and written again the same.
///
/// Never to be changed: what users have on their disks looks like this. A format that writes something else has another
/// version, and files of its own.
@Suite struct SpillGoldenTests {
  private static let names = ["store", "lock", "0000000000000001", "0000000000000002"]

  @Test func `what version 1 wrote is read`() throws {
    let spill = spill()
    for name in Self.names { spill.disk.setContents(of: spill.path(name), try Self.golden(name)) }
    spill.disk.setOwner(of: SimulatedSpill.directory, mode: 0o700)
    let store = try spill.open { $0.codec = FillCodec() }
    #expect(Self.source("first", store).served(0..<4, by: store) == [0, 1, 3])
    #expect(Self.source("second", store).served(0..<4, by: store) == [0, 2, 3])
    #expect(store.counts().blocks == 6 && store.counts().damaged == 0)
    // Who does not know the codec does not find what it has written.
    let other = spill.copy()
    let stranger = try other.open()
    #expect(Self.source("first", stranger).served(0..<4, by: stranger) == [3])
  }

  @Test func `what is written now are the same bytes`() async throws {
    let spill = spill()
    // One sealed segment, by a codec of the user's.
    var store = try spill.open { $0.codec = FillCodec() }
    for block in 0..<3 { Self.source("first", store).put(block, in: store) }
    try await store.flush()
    try await store.close()
    // One that is not sealed: LZ4, what does not shrink, and a tombstone.
    let process = spill.disk.newProcess()
    store = try spill.open(in: process) { $0.codec = HandmadeLZ4() }
    for block in 0..<4 { Self.source("second", store).put(block, in: store) }
    try await store.flush()
    Self.source("first", store).erase(2..<3, in: store)
    Self.source("second", store).erase(1..<2, in: store)
    try await store.flush()
    Self.source("first", store).put(3, in: store)
    try await store.flush()
    process.crash()
    for name in Self.names {
      let bytes = try #require(spill.disk.contents(of: spill.path(name)))
      if ProcessInfo.processInfo.environment["RANGEIO_GOLDEN"] == "write" { try Self.write(bytes, name) }
      #expect(bytes == (try Self.golden(name)), "\(name)")
    }
  }

  @Test(arguments: ["store", "0000000000000001", "0000000000000002"])
  func `a file of another version is told, and nothing is touched`(name: String) throws {
    let spill = spill()
    for name in Self.names { spill.disk.setContents(of: spill.path(name), try Self.golden(name)) }
    spill.disk.setContents(of: spill.path("store.new"), [1, 2, 3])
    var bytes = try Self.golden(name)
    bytes[8] = 2
    bytes.withUnsafeMutableBytes { $0.put(CRC32C.of(UnsafeRawBufferPointer($0).part(0, 12)), 12) }
    spill.disk.setContents(of: spill.path(name), bytes)
    let before = spill.contents
    for isReadOnly in [false, true] {
      #expect {
        _ = try spill.open {
          $0.isReadOnly = isReadOnly
          $0.processNumber = 2
        }
      } throws: { error in
        let text = "\(error)"
        return (error as? ReadError)?.code == .unsupportedFormat && text.contains("version 2")
          && text.contains("version 1")
      }
    }
    #expect(spill.contents == before)
  }

  // MARK: what is fixed

  private func spill() -> SimulatedSpill {
    SimulatedSpill {
      $0.segmentSize = .kibibytes(8)
      $0.time = ReadClock(ManualClock())
      $0.wallClock = { 1_700_000_000_123_456_789 }
      $0.random = { 0x0123_4567_89AB_CDEF }
      $0.processNumber = 1
    }
  }

  /// The last block has ten bytes.
  private static func source(_ id: String, _ store: SpillStore) -> FillSource {
    FillSource(store.sources, id: id, byteCount: 3 * 512 + 10, blockSize: 512)
  }

  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Golden/SpillVersion1").standardized

  /// From lines of 32 bytes in hexadecimal digits, after their place. Places not named are zeros; the last names the end.
  private static func golden(_ name: String) throws -> [UInt8] {
    let text = try String(contentsOf: directory.appendingPathComponent(name + ".hex"), encoding: .utf8)
    var bytes: [UInt8] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let place = try #require(words.first.flatMap { Int($0, radix: 16) })
      bytes += [UInt8](repeating: 0, count: place - bytes.count)
      var digits = words.dropFirst().first ?? ""
      while let byte = UInt8(digits.prefix(2), radix: 16) {
        bytes.append(byte)
        digits = digits.dropFirst(2)
      }
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], _ name: String) throws {
    func hex(_ number: Int, _ width: Int) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: width - digits.count) + digits
    }
    var lines: [String] = []
    for place in stride(from: 0, to: bytes.count, by: 32) {
      let part = bytes[place..<min(place + 32, bytes.count)]
      if part.contains(where: { $0 != 0 }) {
        lines.append(hex(place, 8) + " " + part.map { hex(Int($0), 2) }.joined())
      }
    }
    lines.append(hex(bytes.count, 8))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try (lines.joined(separator: "\n") + "\n").write(
      to: directory.appendingPathComponent(name + ".hex"), atomically: true, encoding: .utf8)
  }
}

/// LZ4 as written by hand, so that no version of a library decides about the bytes: of blocks of 512 equal bytes, one
/// of them, a match of 506 and the last five.
private struct HandmadeLZ4: LibraryCodec {
  var id: UInt8 { 1 }
  var encodingNumber: UInt64 { 3 << 8 | 1 << 63 }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard source.count == 512 else { return nil }
    let byte = source[0]
    destination.copyBytes(from: [0x1F, byte, 1, 0, 255, 232, 0x50, byte, byte, byte, byte, byte])
    return 12
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    LZ4Codec().decode(source, into: destination)
  }
}
