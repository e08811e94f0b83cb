import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// `Docs/Counters.md` names every count that the library gives, and no other.
@Suite(.timeLimit(.minutes(5))) struct CounterNamesTests {
  /// The names of each owner of counts that has a row.
  private let page: [String: Set<String>]

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let ticks = CharacterSet(charactersIn: " `")
    var page: [String: Set<String>] = [:]
    let text = try String(contentsOf: root.appending(path: "Docs/Counters.md"), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("| "), cells.count == 3, cells[1].hasPrefix("`") else { continue }
      for owner in cells[0].split(separator: ",") {
        page[owner.trimmingCharacters(in: ticks), default: []].insert(cells[1].trimmingCharacters(in: ticks))
      }
    }
    self.page = page
  }

  private func check(_ counters: [Counters], _ place: SourceLocation = #_sourceLocation) {
    for one in counters { #expect(Set(one.names) == page[one.name], "\(one.name)", sourceLocation: place) }
  }

  @Test func `stages`() async throws {
    let stages: [ReadPipeline] = [
      .decoding(name: "same", blockSize: .kibibytes(4)) { $1 }, .hedging(), .limiting(maxConcurrentReads: 1),
      .merging(), .readAhead(), .retrying(), .timeLimit(.seconds(10)),
      .verifying(blockSize: .kibibytes(4), digests: [[UInt8](repeating: 0, count: 32)]) { _ in [] },
    ]
    for stage in stages { check(stage.stageStatistics()) }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let observing = try await Observing(tracingTo: directory.path("trace"))
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100),
      [.observing(observing), .caching(MemoryStore(limit: .mebibytes(1)), onSecondRead: true)])
    check(reader.statistics().stages)
    await reader.close()
    try await observing.close()
  }

  @Test func `files`() { check(FileSource("/", engine: .direct).statistics()) }

  @Test func `stores`() {
    var disk = DiskCounts()
    var choice = SpillCodecChoice()
    choice.wrote(bytes: 1 << 20, nanoseconds: 1)
    choice.read(bytes: 1 << 20, nanoseconds: 1)
    choice.coding.encoded(bytes: 1 << 20, to: 1, nanoseconds: 1)
    choice.coding.decoded(bytes: 1 << 20, nanoseconds: 1)
    disk.choice = choice
    check(TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1)).statistics())
    check([disk.counters, QueueCounts().counters("compressed queue")])
  }

  /// Their sources are searched, since these tests use no plugin.
  @Test func `plugins`() throws {
    let plugins = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Plugins").standardized
    let all = page.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    var found = 0
    let files = try #require(FileManager.default.enumerator(at: plugins, includingPropertiesForKeys: nil))
    for case let file as URL in files
    where file.path.contains("/Sources/") && file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for call in text.matches(of: /\bCounters\([^,]*,\s*counts: \[([^\]]*)\]/) {
        for name in call.1.matches(of: /"([^"]*)":/).map(\.1) {
          found += 1
          #expect(all.contains(String(name)), "\(name) of \(file.lastPathComponent)")
        }
      }
    }
    #expect(found >= 20)
  }
}
