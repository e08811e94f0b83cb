import RangeIOTesting

@testable import RangeIO

/// A source that states one cost, has another, and knows that one once some of its reads have ended.
final class MeasuringSource: RangeSource {
  private final class Context: MeasuredCost {
    let stated: SourceDescription.Cost
    let known: Locked<SourceDescription.Measurement>

    let fetchSize: Int?
    let extent = Locked(FetchExtent())
    let isArriving: Bool

    init(_ stated: SourceDescription.Cost, fetchSize: Int?, isArriving: Bool) {
      self.isArriving = isArriving
      self.stated = stated
      self.fetchSize = fetchSize
      known = Locked(.init(stated, isGuess: true))
    }

    func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement? {
      stated == self.stated ? known.withLock { $0 } : nil
    }
  }

  private let base: SyntheticSource
  private let cost: SourceDescription.Cost
  private let context: Context
  private let readsToLearn: Int
  /// The clock, if all reads share one link.
  private let sharedTime: ReadClock?
  private let readsEnded = Locked(0)
  private let asked = Noted<ByteRange>()

  /// - Parameters:
  ///   - cost: of reads.
  ///   - sharesBandwidth: whether all reads share one link, one after the other. Then what is known of the rate is what the
  ///     last read saw of it. Default: each has the full rate.
  ///   - readsToLearn: the cost is known after so many.
  ///   - fetchSize, isArriving: see `MeasuredCost`.
  init(
    byteCount: Int, stating stated: SourceDescription.Cost, costing cost: SourceDescription.Cost,
    after readsToLearn: Int = 1, fetchSize: Int? = nil, isArriving: Bool = false, sharesBandwidth: Bool = false,
    id: String = "synthetic", time: ReadClock? = nil
  ) {
    base = SyntheticSource(
      byteCount: byteCount, id: id, latency: cost.latency, bytesPerSecond: cost.rate,
      sharesBandwidth: sharesBandwidth, time: time)
    sharedTime = sharesBandwidth ? time : nil
    self.cost = cost
    context = Context(stated, fetchSize: fetchSize, isArriving: isArriving)
    self.readsToLearn = readsToLearn
  }

  /// What was read, in the order of the requests.
  var reads: [ByteRange] { asked.all }
  var mostReadsUnderWay: Int { base.mostReadsUnderWay }

  func describe() async throws -> SourceDescription {
    let description = try await base.describe()
    return SourceDescription(
      id: description.id, validator: description.validator, byteCount: description.byteCount,
      traits: .with { ($0.cost, $0.context) = (context.stated, context) })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    asked.add(range)
    let start = sharedTime?.now
    let bytes = try await base.read(range, of: source)
    let isKnown = readsEnded.withLock { ended in
      ended += 1
      return ended >= readsToLearn
    }
    var cost = cost
    if let start, let end = sharedTime?.now, case let time = start.duration(to: end) - cost.latency, time > .zero {
      cost.rate = Double(range.count) / (time / .seconds(1))
    }
    if isKnown { context.known.withLock { $0 = .init(cost, isGuess: false) } }
    return bytes
  }
}
