import FormatSupport
import PMTilesFormat
import ParquetFormat
import RangeIO
import Testing
import ZIPFormat

/// Files of other people's programs, spoilt in many ways.
@Suite(.enabled(if: Spoiling.folder != nil, "REMOTE_FORMATS_FILES names no folder: run check.sh, which makes one"))
struct HostileFilesTests {
  /// Reads everything that a file has. Wrong bytes are not noticed here: the point is to come back.
  private static func readAll(_ bytes: Bytes, as name: String) async throws {
    let reader = try await openReader(MemorySource(bytes: bytes))
    do {
      if name.hasSuffix(".zip") {
        let archive = try await ZIPArchive(reader)
        try await all(archive.entries) { try await archive.extract($0) { _ in } }
      } else if name.hasSuffix(".pmtiles") {
        let archive = try await PMTilesArchive(reader)
        let places = (0...3).flatMap { zoom in (0..<UInt32(1 << zoom)).map { (UInt8(zoom), $0) } }
        _ = try await archive.metadata()
        try await all(places) { zoom, x in _ = try await archive.tile(zoom: zoom, x: x, y: x) }
      } else {
        let file = try await ParquetFile(reader)
        for group in file.metadata.rowGroups.indices {
          try await all(file.columns) { _ = try await file.values(of: $0.name, rowGroup: group) }
        }
      }
      await reader.close()
    } catch {
      await reader.close()
      throw error
    }
  }

  /// Calls `body` for each element, whatever is wrong with others, and then throws the first error. That something is not
  /// supported is none.
  private static func all<Element>(_ elements: [Element], _ body: (Element) async throws -> Void) async throws {
    var first: (any Error)?
    for element in elements {
      do { try await body(element) } catch let error as FormatError where error.code == .unsupported {
        // Some columns are lists.
      } catch { first = first ?? error }
    }
    if let first { throw first }
  }

  @Test func `the whole files are read`() async throws {
    let files = try Spoiling.files()
    #expect(files.count >= 6)
    for (name, bytes) in files {
      do { try await Self.readAll(bytes, as: name) } catch { Issue.record("\(name): \(error)") }
    }
  }

  @Test func `every truncation of a file is an error`() async throws {
    for (name, bytes) in try Spoiling.files() {
      for count in 0..<bytes.count {
        await #expect(throws: (any Error).self, "\(name), the first \(count) of \(bytes.count) bytes") {
          try await Self.readAll(bytes[0..<count], as: name)
        }
      }
    }
  }

  @Test func `a file with changed bytes gives an error or a result, and never a trap`() async throws {
    print("seed \(Spoiling.seed): REMOTE_FORMATS_SEED chooses another")
    for (name, bytes) in try Spoiling.files() {
      var random = SplitMix64(state: Spoiling.seed)
      for _ in 0..<1_000 {
        let changed = Spoiling.change(bytes, &random)
        do { try await Self.readAll(changed, as: name) } catch is FormatError {} catch is ReadError {}
      }
    }
  }

  @Test func `a file from whose middle bytes are missing gives an error or a result, and never a trap`() async throws {
    print("seed \(Spoiling.seed): REMOTE_FORMATS_SEED chooses another")
    for (name, bytes) in try Spoiling.files() {
      var random = SplitMix64(state: Spoiling.seed)
      for _ in 0..<250 {
        let changed = Spoiling.cut(bytes, &random)
        do { try await Self.readAll(changed, as: name) } catch is FormatError {} catch is ReadError {}
      }
    }
  }
}
