public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Bytes {
  /// Below this a copy costs no more than the two small allocations that sharing takes. Also what a `Data` keeps within
  /// itself, without an allocation, is far smaller.
  static let smallestShared = 1024

  /// The bytes of `data`, which share its memory if there are 1,024 or more, and are a copy else.
  ///
  /// Use it to hand what you have as `Data` to a source, a stage or a store. Changing `data` afterwards changes only
  /// `data`: it copies itself first, as always when its memory is shared.
  ///
  /// ```swift
  /// struct Blob: RangeSource {
  ///   let bytes: Bytes
  ///   init(_ data: Data) { bytes = Bytes(data) }
  ///   …
  /// }
  /// ```
  ///
  /// A slice of a `Data` keeps the whole alive, which ``backingByteCount`` cannot see. A `Data` that was itself made
  /// without copying (`bytesNoCopy`) must be over memory that is not written to.
  ///
  /// - Complexity: O(1) and two small allocations when it shares, else one allocation.
  public init(_ data: Data) {
    guard data.count >= Self.smallestShared else {
      self = data.withUnsafeBytes { Bytes(copying: $0) }
      return
    }
    // The pointer outlives the closure that it is given to. That is sound here: a `Data` of this size keeps its bytes
    // in a heap object of its own that never moves them, the owner keeps a reference to that object, and whoever
    // writes to a `Data` whose object has another reference copies it first.
    let owner = DataOwner(data)
    self = owner.data.withUnsafeBytes { Bytes(unsafeShowing: $0, owner: owner) }
  }
}

/// Keeps the memory of a `Data` alive, and shared, so that nobody writes to it in place.
private final class DataOwner: Sendable {
  let data: Data
  init(_ data: Data) { self.data = data }
}
