/// The parameters of ``S3FIFO`` that can change while it runs: the size of the small queue, and the way from there to
/// main.
struct QueueParameters: Equatable, Sendable {
  /// The way of a chunk from the small queue to main.
  enum Promotion: Equatable, Sendable {
    /// By this many reads in the small queue, or by coming back while the ghost remembers it.
    case reads(UInt8)
    /// The same, but reads count only in the older half of the small queue: those soon after the first are likely to be
    /// part of the same work. As in Clock2Q+.
    case readsAfterWindow(UInt8)
    /// If it was read more often than the chunk that main would evict for it, as in W-TinyLFU, by more than this many
    /// reads. Both numbers are estimates: without a lead, blocks of a loop, all read equally often, drive each other
    /// out by chance. The ghost has no say.
    case frequency(lead: UInt8)
    /// At once: there is only main, where one read is as good as many. That is CLOCK, which evicts nearly what LRU
    /// would.
    case always
  }

  /// The share of the capacity that the small queue aims at, in thousandths.
  var smallShare: Int
  var promotion: Promotion

  /// Those of the paper.
  static let s3fifo = QueueParameters(smallShare: 100, promotion: .reads(2))

  /// The reads in the small queue that a chunk needs, where reads count.
  var threshold: UInt8 {
    switch promotion {
    case .reads(let count), .readsAfterWindow(let count): count
    case .frequency: 1
    case .always: 0
    }
  }

  /// The share of the capacity that is kept from what is new, from 0 to 1.
  var mainShare: Double { promotion == .always ? 0 : 1 - Double(smallShare) / 1000 }

  var hasWindow: Bool { if case .readsAfterWindow = promotion { true } else { false } }
  var countsFrequency: Bool { if case .frequency = promotion { true } else { false } }
  var asksGhost: Bool { !countsFrequency }

  /// In few words, for reports: the share of the small queue and what promotes.
  var name: String {
    let share = smallShare % 10 == 0 ? "\(smallShare / 10)%" : "\(smallShare / 10).\(smallShare % 10)%"
    return switch promotion {
    case .reads(let count): "\(share), \(Self.words(count))"
    case .readsAfterWindow(let count): "\(share), \(Self.words(count)) after window"
    case .frequency(let lead): lead == 0 ? "\(share), frequency" : "\(share), frequency + \(lead)"
    case .always: "clock"
    }
  }

  private static func words(_ reads: UInt8) -> String { reads == 1 ? "1 read" : "\(reads) reads" }
}
