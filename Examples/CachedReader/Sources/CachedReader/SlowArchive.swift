import RangeIO
import Synchronization

/// Stands for a server: each read takes two milliseconds, whatever its length. Counts them.
final class SlowArchive: RangeSource {
  struct Edition: SourceDescription.Validator {
    let number: Int
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      (newer as? Edition)?.number == number ? .same : .other
    }
  }

  let byteCount = 4 << 20
  private let counts = Mutex((reads: 0, bytes: 0))

  var reads: Int { counts.withLock { $0.reads } }
  var bytes: Int { counts.withLock { $0.bytes } }

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "archive", validator: Edition(number: 1), byteCount: byteCount)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    counts.withLock { $0 = ($0.reads + 1, $0.bytes + range.count) }
    try await Task.sleep(for: .milliseconds(2))
    return Self.contents(range)
  }

  static func contents(_ range: ByteRange) -> Bytes {
    Bytes(range.map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
  }
}
