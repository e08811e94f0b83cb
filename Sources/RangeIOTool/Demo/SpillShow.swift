import RangeIO
import RangeIOSpillInspection
import RangeIOTiers
import Synchronization

/// A cache of memory, compressed memory and a disk, above a distant source: skewed reads, with every byte compared. The
/// next process finds what this one has read.
struct SpillShow {
  static let blockSize = ByteCount.kibibytes(64)
  static let memory = ByteCount.mebibytes(6)
  static let compressed = ByteCount.mebibytes(2)
  static let disk = ByteCount.mebibytes(256)
  static let latency = Duration.milliseconds(20)
  static let reads = 500
  /// The same reads in each run, so that the second run finds what the first one read.
  private static let seed: UInt64 = 20

  private let directory: String
  private let store: TieredStore
  private let blocksAtFirst: Int

  /// Opens the cache with what an earlier run has left.
  init(directory: String) async throws {
    self.directory = directory
    var configuration = TieredStore.Configuration(memory: Self.memory, compressed: Self.compressed)
    // Room for what such a small compressed tier evicts at once. With the default, all but a few blocks would be
    // dropped.
    configuration.queueLimit = .mebibytes(1)
    do {
      store = try await TieredStore(configuration, disk: .init(directory: directory, limit: Self.disk))
    } catch let error as ReadError {
      throw SpillLook.failure(error, directory)
    }
    blocksAtFirst = store.counts().disk?.blocks ?? 0
  }

  func run(_ path: String, _ engine: FileSource.Engine, _ plain: PlainFile, _ report: inout DemoReport) async throws {
    let file = try PathArgument.source(path, configuration: .init(engine: engine))
    let source = SlowSource(file, latency: Self.latency)
    let reader = try await RangeReader(source, [.caching(store, blockSize: Self.blockSize)])
    var facts = DemoReport.SpillFacts(directory: directory, blocksAtFirst: blocksAtFirst)
    do {
      var ranges = DemoRanges(byteCount: reader.byteCount, seed: Self.seed)
      let blocks = ranges.nextSkewed(Self.reads, blockSize: Self.blockSize)
      let pass = TimedPass(reader: reader, plain: plain, blockSize: Self.blockSize)
      for name in [blocksAtFirst == 0 ? "disk empty at first" : "disk as it was left", "the same reads again"] {
        guard report.comparison.mismatch == nil else { break }
        let before = Counts(store.counts(), source)
        let reading = try await pass.run(name, blocks, &report.comparison)
        let after = Counts(store.counts(), source)
        facts.rows.append(
          .init(
            reading: reading, compressed: after.compressed - before.compressed, disk: after.disk - before.disk,
            source: after.source - before.source))
        try await store.flush()
      }
    } catch {
      ReaderLog.note("\(path), far away", reader)
      await reader.close()
      throw error
    }
    ReaderLog.note("\(path), far away", reader)
    await reader.close()
    do {
      try await store.close(within: .seconds(10))
    } catch let error as ReadError {
      throw SpillLook.failure(error, directory)
    }
    facts.blocksAtLast = try SpillLook(directory).survey().sources.reduce(0) { $0 + $1.blocks }
    report.spill = facts
  }

  /// The reads so far that compressed memory, the disk, and the source have answered.
  private struct Counts {
    let compressed: Int
    let disk: Int
    let source: Int

    init(_ tiers: TieredStore.Counts, _ source: SlowSource) {
      compressed = tiers.compressed.hits
      disk = tiers.disk?.hits ?? 0
      self.source = source.reads
    }
  }
}

/// A file that answers as slowly as a distant one. Counts its reads.
final class SlowSource: RangeSource {
  private let file: any RangeSource
  private let latency: Duration
  private let count = Atomic(0)

  init(_ file: any RangeSource, latency: Duration = SpillShow.latency) {
    (self.file, self.latency) = (file, latency)
  }

  /// The number of reads so far.
  var reads: Int { count.load(ordering: .relaxed) }

  /// The file under another name, with a higher cost: so that a cache stores it on a disk.
  func describe() async throws -> SourceDescription {
    let file = try await file.describe()
    var traits = file.traits
    traits.cost = SourceDescription.Cost(latency: latency)
    // It is not closed before its last read has returned.
    traits.answersCancellation = false
    return SourceDescription(
      id: "slow|" + file.id, name: file.name, validator: file.validator, byteCount: file.byteCount,
      preferredBlockSize: file.preferredBlockSize, traits: traits)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    count.wrappingAdd(1, ordering: .relaxed)
    try await Task.sleep(for: latency)
    return try await file.read(range, of: source)
  }

  func close() async { await file.close() }
}
