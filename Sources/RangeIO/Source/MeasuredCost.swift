/// The context of a description whose source measures what its reads cost, apart for the time to the first byte and the
/// rate after it. Nothing above the source can tell the two apart so well: reads that wait for each other look slow to
/// begin.
package protocol MeasuredCost: AnyObject, Sendable {
  /// Returns the cost of reading as measured by now.
  ///
  /// - Parameter stated: the cost in the description. `nil` if the source has not stated this: a source around it has
  ///   changed it, and knows better.
  func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement?

  /// The most bytes around a few that are worth fetching with them, a power of two; `nil`: blocks are fetched. More than
  /// that costs more than another request.
  ///
  /// Not the block size, which must be the same in the next process, or a cache on a disk is not found.
  var fetchSize: Int? { get }

  /// The blocks fetched around a range now: as much as reads have had use for.
  var extent: Locked<FetchExtent> { get }
  /// `true` if the bytes come only one after the other: the server has no ranges.
  var isReadForward: Bool { get }
  /// The range that comes with the description and is not dropped yet: reads within it cost nothing, others around it a request.
  var atHand: ByteRange? { get }
  /// `true` while ``atHand`` is on its way: a read within it waits until its own bytes have come, and no rate is known.
  var isArriving: Bool { get }
}

extension MeasuredCost {
  var atHand: ByteRange? { nil }
  var isArriving: Bool { false }
  var isReadForward: Bool { false }
}

extension SourceDescription {
  /// See ``MeasuredCost/isReadForward``.
  package var isReadForward: Bool { (context as? any MeasuredCost)?.isReadForward ?? false }

  /// See ``MeasuredCost/isArriving``.
  var isArriving: Bool { (context as? any MeasuredCost)?.isArriving ?? false }

  /// A source's measurement of its own cost.
  package struct Measurement: Equatable, Sendable {
    var cost: Cost
    /// `true` if the rate was never measured. A long read that was planned by it may take far longer than planned.
    var isGuess: Bool
    /// `true` if few reads have measured the rate: perhaps none of them beside as many others as will run.
    var isYoung: Bool
    /// The latency of a read that waits for no others, if that is known: `cost` has the mean of all. To plan by that would make
    /// reads longer, for which the next ones wait longer still.
    var leastLatency: Duration?
    /// The most reads that run beside each other, each at that rate; `nil`: as many as the stages above permit.
    var connections: Int?

    package init(
      _ cost: Cost, isGuess: Bool, isYoung: Bool = false, leastLatency: Duration? = nil, connections: Int? = nil
    ) {
      self.cost = cost
      self.isGuess = isGuess
      self.isYoung = isYoung
      self.leastLatency = leastLatency
      self.connections = connections
    }
  }

  /// The cost as measured by the source itself; `nil` if it does not measure.
  var measuredCost: Measurement? { (context as? any MeasuredCost)?.measured(insteadOf: cost) }

  /// See ``MeasuredCost/fetchSize``.
  var fetchSize: Int? { (context as? any MeasuredCost)?.fetchSize }

  /// The blocks of `grid` that are fetched with a missing range now; zero: exactly the range. One, if the source does not
  /// measure.
  var fetchBlocks: Int {
    guard let context = context as? any MeasuredCost, context.fetchSize != nil else { return 1 }
    if context.isArriving { return 0 }
    return context.extent.withLock { $0.blocks }
  }

  /// Decides as ``FetchExtent``. Until the rate has been measured there is no more than a block. Of what is at hand a block,
  /// if all of it is, since it may be gone later; otherwise none around it. None either, wherever the range is, while that is on
  /// its way: of it a block would be waited for, and elsewhere no rate tells what one costs.
  func fetchBlocks(with range: ByteRange, on grid: BlockGrid) -> Int {
    guard let context = context as? any MeasuredCost, let most = context.fetchSize else { return 1 }
    let isArriving = context.isArriving
    if let atHand = context.atHand, atHand.lowerBound <= range.lowerBound, range.upperBound <= atHand.upperBound {
      let blocks = grid.outward(range, in: byteCount)
      return !isArriving && blocks.clamped(to: atHand) == blocks ? 1 : 0
    }
    var measured = context.measured(insteadOf: cost) ?? Measurement(cost, isGuess: true)
    // Any link may be slow.
    if isArriving { measured = Measurement(Cost(latency: measured.cost.latency, bytesPerSecond: 1), isGuess: true) }
    return context.extent.withLock {
      $0.next(range, on: grid, most: measured.isGuess ? grid.blockSize : most, measured.cost)
    }
  }
}
