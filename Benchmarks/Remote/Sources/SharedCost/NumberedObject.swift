internal import RangeIO
internal import Synchronization

/// An object in which each number of 64 bits is its own offset. Counts how often it is read.
final class NumberedObject: RangeSource {
  private struct Tag: SourceDescription.Validator {
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .same }
    var persistentForm: [UInt8]? { [1] }
  }

  private let byteCount: Int
  private let reads = Atomic(0)

  init(byteCount: Int) { self.byteCount = byteCount }

  var readCount: Int { reads.load(ordering: .relaxed) }

  func describe() async throws -> SourceDescription {
    var traits = SourceDescription.Traits()
    // As far away as objects are.
    traits.cost = .init(latency: .milliseconds(20), bytesPerSecond: .bytes(25_000_000))
    return SourceDescription(id: "numbers", validator: Tag(), byteCount: byteCount, traits: traits)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    reads.add(1, ordering: .relaxed)
    return Bytes(count: range.count) { memory in
      for place in stride(from: 0, to: range.count - 7, by: 8) {
        memory.storeBytes(of: range.lowerBound + place, toByteOffset: place, as: Int.self)
      }
    }
  }
}
