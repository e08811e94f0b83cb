#if Tool
import RangeIO
import Synchronization

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
#endif
