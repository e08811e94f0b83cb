import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Directories of others that look like ours by their names.
@Suite struct SpillOwnershipTests {
  /// Files of another program, which name none that begins as ours do.
  static let foreign: [[String: String]] = [
    ["lock": "pid 17"],
    ["lock": "", "mail.db": "precious"],
    ["store": "a list of shops"],
    ["store": "a list of shops", "lock": ""],
    ["store": "", "0000000000000001": "precious"],
    ["lock": "", "0000000000000001": "precious"],
    ["lock": "", "store": "", "quota": "precious"],
    ["0000000000000001": "precious"],
    ["lock": "RIOSPIL", "store": "RIOSPILX"],
  ]

  private func directory(of files: [String: String]) throws -> SpillOnDisk {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    try fill(spill.configuration.directory, with: files)
    return spill
  }

  private func fill(_ path: String, with files: [String: String]) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
      #expect(chmod(path + "/" + name, 0o600) == 0)
    }
  }

  private func files(_ path: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      files[name] = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }
    return files
  }

  @Test(arguments: foreign) func `a directory of another program is refused, and nothing in it touched`(
    files: [String: String]
  ) async throws {
    let spill = try directory(of: files)
    let path = spill.configuration.directory
    await #expect { _ = try await spill.open() } throws: { ($0 as? ReadError)?.code == .invalidConfiguration }
    #expect(throws: ReadError.self) { try SpillClearing.clear(path) }
    #expect(throws: ReadError.self) { try SpillInspection(path) }
    #expect(try self.files(path) == files)
  }

  @Test(arguments: foreign) func `a directory of another program below a shared one is left alone`(
    files: [String: String]
  ) async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    let store = try await spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let below = spill.configuration.directory + "/" + String(repeating: "ab", count: 16)
    try fill(below, with: files)
    try await spill.open().close()
    #expect(try SpillClearing.clear(spill.configuration.directory).privateDirectoriesLeft == 1)
    #expect(try self.files(below) == files)
  }

  @Test(arguments: [["lock": ""], ["lock": "", "store.new": ""], ["lock": "", "quota": ""]])
  func `what a crash leaves that made a directory is ours`(files: [String: String]) async throws {
    let spill = try directory(of: files)
    let store = try await spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let again = try await spill.open()
    #expect(await FillSource(again.sources).fetched(1..<2, by: again) == [1])
    try await again.close()
    _ = try SpillClearing.clear(spill.configuration.directory)
    #expect(try self.files(spill.configuration.directory) == [:])
  }

  @Test(arguments: ["store", "lock"]) func `a directory is ours by any file that begins as ours do`(
    damaged: String
  ) async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    let store = try await spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let path = spill.configuration.directory + "/" + damaged
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
    #expect(chmod(path, 0o600) == 0)
    try await spill.open().close()
  }
}
