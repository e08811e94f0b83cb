/// Identifies one flight. Never reused for another.
struct FlightID: Hashable, Sendable {
  /// Counts up from 1, so later flights have greater numbers.
  package let number: UInt64
  /// The slot of its entry while it is in progress.
  let slot: Int32
}

/// Identifies one request's interest in its flights. A prefetch has one, too, though no read waits.
struct WaiterID: Hashable, Comparable, Sendable {
  /// Counts up from 1 in order of arrival.
  package let number: UInt64

  static func < (a: WaiterID, b: WaiterID) -> Bool { a.number < b.number }
}

/// The result of ``Flights/request(_:generation:purpose:waiter:widen:)``: which flight brings which bytes, and what to
/// do for it.
struct FlightPlan: Equatable, Sendable {
  /// A piece of a gap, and the flight that brings it.
  package struct Part: Equatable, Sendable {
    let flight: FlightID
    package let range: ByteRange
  }

  /// A fetch to start now. When it has ended, whether it succeeded or failed, call ``Flights/completed(_:)``.
  package struct Start: Equatable, Sendable {
    let flight: FlightID
    package let range: ByteRange
    let purpose: ReadUrgency.Purpose
  }

  /// Identifies the request when it leaves.
  let waiter: WaiterID
  /// In ascending order. Together they are exactly the gaps, and none crosses the border between two gaps.
  package internal(set) var parts = SmallArray<Part>()
  /// In ascending order.
  package internal(set) var starts = SmallArray<Start>()
  /// Flights that started as prefetches and that this demand is the first to join: treat them as demand from now on.
  package internal(set) var raised = SmallArray<FlightID>()
  /// The number of earlier flights that bring a part.
  package internal(set) var joinedCount = 0

  init(waiter: WaiterID) { self.waiter = waiter }
}

/// The missing parts of a request: gaps, which the source must bring, and deferred pieces, which the store holds
/// compressed or on a disk.
struct FlightWants: Sendable, ExpressibleByArrayLiteral {
  /// A part of a request that the store holds.
  struct Deferred: Sendable {
    package let wanted: ByteRange
    /// The range that loading it brings: `wanted` and more.
    package let whole: ByteRange
  }

  /// In ascending order, disjoint.
  package var gaps: [ByteRange]
  /// In ascending order; the wanted ranges are disjoint.
  package var deferred: [Deferred]

  init(gaps: [ByteRange], deferred: [Deferred] = []) {
    self.gaps = gaps
    self.deferred = deferred
  }

  init(arrayLiteral elements: ByteRange...) { self.init(gaps: elements) }

  package var isEmpty: Bool { gaps.isEmpty && deferred.isEmpty }
}
