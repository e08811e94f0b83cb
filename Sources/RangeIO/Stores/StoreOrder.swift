/// A user's order to a store, beside reading and removing. Each tier does its part.
package enum StoreOrder: Sendable {
  /// Keep chunks for so long after they were requested, and after they were last read.
  case limitTime(age: Duration?, idle: Duration?)
  /// Remove chunks that are older, or have been idle for longer, than the limits allow.
  case expire
  /// The system is short of memory, or no longer.
  case relieve(MemoryPressure)
  /// Do not evict the blocks that hold this range.
  case pin(ByteRange, of: SourceDescription)
  /// Evict them as others.
  case unpin(ByteRange, of: SourceDescription)
  /// Keep these bytes with a version; `nil`: forget the bytes kept with it.
  case keep(metadata: Bytes?, of: SourceDescription)

  /// The result of an order.
  package enum Outcome {
    case done
    /// The store has nothing to do with it.
    case notHere
    case failed(ReadError)

    /// The outcome of two tiers together.
    package static func && (one: Self, other: Self) -> Self {
      switch (one, other) {
      case (.failed, _), (.done, .done), (.done, .notHere): one
      default: other
      }
    }

    /// - Parameter what: what is kept, for people.
    func check(keeping what: String) throws(ReadError) {
      switch self {
      case .done: return
      case .failed(let error): throw error
      case .notHere:
        throw ReadError(
          .invalidConfiguration, "neither this store nor one that it is composed of keeps \(what): a MemoryStore does")
      }
    }
  }
}
