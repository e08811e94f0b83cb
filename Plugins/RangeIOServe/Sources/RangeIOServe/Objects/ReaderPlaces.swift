#if Serve
  internal import Synchronization

  /// The readers that a server may have open at a time, resting or read for an answer, since each may have a descriptor. On
  /// Linux libdispatch ends a process that has none left.
  final class ReaderPlaces: Sendable {
    /// The place of one reader, which is free again when this is released.
    final class Place: Sendable {
      private let places: ReaderPlaces

      fileprivate init(_ places: ReaderPlaces) { self.places = places }

      deinit { places.free.wrappingAdd(1, ordering: .relaxed) }
    }

    private let free: Atomic<Int>

    init(_ count: Int) { free = Atomic(count) }

    /// A place for one more reader; `nil` if there is none.
    func take() -> Place? {
      // Given back by the one that could not have it.
      let place = free.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 ? Place(self) : nil
      if place == nil { free.wrappingAdd(1, ordering: .relaxed) }
      return place
    }
  }
#endif
