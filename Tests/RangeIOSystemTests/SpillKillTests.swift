import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Processes that are killed while they write: 12, or `RANGEIO_KILLS`.
@Suite struct SpillKillTests {
  @Test func `a process that is killed leaves what it had flushed, and nothing wrong`() async throws {
    let writer = BuiltProgram("SpillWriter")
    var figures = Figures()
    var directory = try TemporaryDirectory()
    for run in 0..<TestScale.kills {
      // What several of them leave, one after the other.
      if run % 5 == 0 { directory = try TemporaryDirectory() }
      var random = TestRandom(UInt64(run))
      let spill = directory.path(Self.isEncrypted(run) ? "encrypted" : "spill")
      let journal = directory.path("journal")
      // Every other one dies in the middle of a write, by itself; the others somewhere.
      let isTorn = run % 2 == 0
      let end = try await writer.run(
        ["write", spill, "\(run)"] + (isTorn ? ["\(random.below(60) + 2)"] : []), output: journal,
        killedAfter: isTorn ? .max : random.below(1500))
      // One that nobody was quick enough to kill has ended well.
      #expect(end == 1009 || !isTorn && end == 0)
      if try Self.hasTornTail(spill) { figures.torn += 1 }
      let verified = directory.path("verified-\(run)")
      let verification = try writer.start(["verify", spill, journal], output: verified)
      guard try await verification.end() == 0 else {
        Issue.record("run \(run): the directory could not be opened")
        return
      }
      try figures.add(String(contentsOfFile: verified, encoding: .utf8))
    }
    TestScale.report("\(TestScale.kills) processes killed: \(figures)")
    #expect(figures.wrong == 0 && figures.risen == 0)
    #expect(figures.found * 100 >= figures.flushed * 99 && figures.flushed > 0)
    #expect(figures.torn * 6 >= TestScale.kills)
  }

  /// Every other directory, if this is built with encryption.
  private static func isEncrypted(_ run: Int) -> Bool {
    #if Encrypted
      run / 5 % 2 == 1
    #else
      false
    #endif
  }

  private struct Figures: CustomStringConvertible {
    var flushed = 0
    var found = 0
    var wrong = 0
    var risen = 0
    var torn = 0

    mutating func add(_ text: String) throws {
      let numbers = text.split(separator: " ").compactMap { Int($0) }
      try #require(numbers.count == 4)
      flushed += numbers[0]
      found += numbers[1]
      wrong += numbers[2]
      risen += numbers[3]
    }

    var description: String {
      "\(found) of \(flushed) flushed records found, \(wrong) wrong, \(risen) removed and found, \(torn) torn tails"
    }
  }

  /// Whether a segment ends in the middle of something.
  private static func hasTornTail(_ directory: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: directory) else { return false }
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      guard SpillFormat.segmentNumber(name) != nil else { continue }
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name)))
      let file = try SystemDisk().openDirectory(.init(directory)).open(name, writing: false)
      guard let (header, check) = try SpillReader.header(of: file) else { return true }
      var reader = SpillReader(file, check: check, length: bytes.count, isEncrypted: header.encryption != nil)
      if try reader.footerPlace() != nil { continue }
      var isDamaged = false
      while case .record(let found) = try reader.next() { isDamaged = isDamaged || !found.isWhole }
      if isDamaged || bytes[reader.place...].contains(where: { $0 != 0 }) { return true }
    }
    return false
  }
}
