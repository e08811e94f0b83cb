/// The context of a description whose source measures what its reads cost, apart for the time to the first byte and the
/// rate after it. Nothing above the source can tell the two apart so well: reads that wait for each other look slow to
/// begin.
package protocol MeasuredCost: AnyObject, Sendable {
  /// What reading costs as measured by now.
  ///
  /// - Parameter stated: the cost in the description. `nil` if the source has not stated this: a source around it has
  ///   changed it, and knows better.
  func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Cost?

  /// The bytes around a few that are worth fetching with them, a power of two; `nil`: a block. More than that costs more
  /// than another request.
  ///
  /// Not the block size, which must be the same in the next process, or a cache on a disk is not found.
  var fetchSize: Int? { get }
}

extension SourceDescription {
  /// The cost as measured by the source itself; `nil` if it does not measure.
  package var measuredCost: Cost? { (context as? any MeasuredCost)?.measured(insteadOf: cost) }

  /// See ``MeasuredCost/fetchSize``.
  package var fetchSize: Int? { (context as? any MeasuredCost)?.fetchSize }
}
