/// One flight, for as long as anybody remembers it: never given to another.
package struct FlightID: Hashable, Sendable {
  /// Counts up from 1, so later flights have greater numbers.
  package let number: UInt64
  /// Where its entry lies while it is under way.
  let slot: Int32
}

/// One request's interest in its flights, whether a read waits behind it or not.
package struct WaiterID: Hashable, Comparable, Sendable {
  /// Counts up from 1 in the order of arrival.
  package let number: UInt64

  package static func < (a: WaiterID, b: WaiterID) -> Bool { a.number < b.number }
}

/// What ``Flights/request(_:generation:purpose:waiter:after:isApart:widen:)`` answers: who brings which bytes, and what to
/// do for it.
package struct FlightPlan: Equatable, Sendable {
  /// A piece of a gap, and the flight that brings it.
  package struct Part: Equatable, Sendable {
    package let flight: FlightID
    package let range: ByteRange
  }

  /// A fetch to begin now. When it has ended, however it ended, ``Flights/completed(_:)`` is to be told.
  package struct Start: Equatable, Sendable {
    package let flight: FlightID
    package let range: ByteRange
    package let purpose: ReadPurpose
  }

  /// To leave by.
  package let waiter: WaiterID
  /// In ascending order; together exactly the gaps, and never across the border of two gaps.
  package internal(set) var parts = SmallArray<Part>()
  /// In ascending order.
  package internal(set) var starts = SmallArray<Start>()
  /// Flights begun as prefetches that this demand joined first: to be treated as demand from now on.
  package internal(set) var raised = SmallArray<FlightID>()
  /// How many flights that were under way before bring a part.
  package internal(set) var joinedCount = 0

  init(waiter: WaiterID) { self.waiter = waiter }
}

/// What a request is missing: what the source must bring, and what the store holds, but not as bytes in memory.
package struct FlightWants: Sendable, ExpressibleByArrayLiteral {
  /// A part of a request that the store holds.
  package struct Deferred: Sendable {
    package let wanted: ByteRange
    /// What getting it brings: `wanted` and more.
    package let whole: ByteRange
  }

  /// In ascending order, disjoint.
  package var gaps: [ByteRange]
  /// In ascending order, what is wanted disjoint.
  package var deferred: [Deferred]

  package init(gaps: [ByteRange], deferred: [Deferred] = []) {
    self.gaps = gaps
    self.deferred = deferred
  }

  /// Gaps.
  package init(arrayLiteral elements: ByteRange...) { self.init(gaps: elements) }

  package var isEmpty: Bool { gaps.isEmpty && deferred.isEmpty }
}
