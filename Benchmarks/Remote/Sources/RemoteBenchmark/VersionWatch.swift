import RangeIO
import RangeIOHTTP

/// Reads an object again and again while it is replaced, and compares each read with the two contents that it has in
/// turn.
struct VersionWatch {
  struct Seen {
    var a = 0
    var b = 0
    /// Reads that failed with `sourceChanged`, after which the object was opened again.
    var changed = 0
    /// Reads that are neither.
    var mixed = 0
  }

  private static let rangesInRead = 10
  private let settings: Settings
  /// For each read: its ranges, and what they are in both contents.
  private let reads: [(ranges: [Range<Int>], a: [Bytes], b: [Bytes])]

  init(_ settings: Settings, _ versions: (a: String, b: String)) async throws {
    self.settings = settings
    var reads: [(ranges: [Range<Int>], a: [Bytes], b: [Bytes])] = []
    let (a, b) = (try await RangeReader(versions.a, cache: nil), try await RangeReader(versions.b, cache: nil))
    for start in stride(from: 0, to: settings.ranges.count, by: Self.rangesInRead) {
      let ranges = Array(settings.ranges[start..<min(start + Self.rangesInRead, settings.ranges.count)])
      reads.append((ranges, try await a.read(ranges), try await b.read(ranges)))
    }
    await a.close()
    await b.close()
    self.reads = reads
  }

  func run(_ store: any ChunkStore) async throws -> Seen {
    var seen = Seen()
    var number = 0
    let end = ContinuousClock.now + .seconds(settings.seconds)
    while ContinuousClock.now < end {
      let reader = try await RangeReader(contentsOf: settings.url, cache: store)
      do {
        while ContinuousClock.now < end {
          let read = reads[number % reads.count]
          number += 1
          let pieces = try await reader.read(read.ranges)
          if pieces == read.a { seen.a += 1 } else if pieces == read.b { seen.b += 1 } else { seen.mixed += 1 }
        }
      } catch let error as ReadError where error.code == .sourceChanged {
        seen.changed += 1
      }
      await reader.close()
    }
    return seen
  }
}
