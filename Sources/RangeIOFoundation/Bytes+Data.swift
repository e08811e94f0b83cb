public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Bytes {
  /// Below this size, a copy costs no more than the two small allocations that sharing takes. It is also far more than
  /// a `Data` stores inline, without an allocation.
  static let smallestShared = 1024

  /// Converts `data` to `Bytes`. From 1,024 bytes on, the result shares the memory of `data`; smaller data are copied.
  ///
  /// Use this to pass a `Data` to a source, a stage or a store. If you change `data` later, only `data` changes: it
  /// copies its memory first, as always when the memory is shared.
  ///
  /// ```swift
  /// struct Blob: RangeSource {
  ///   let bytes: Bytes
  ///   init(_ data: Data) { bytes = Bytes(data) }
  ///   …
  /// }
  /// ```
  ///
  /// A slice of a `Data` keeps the whole `Data` in memory, and ``backingByteCount`` cannot show that. If you created
  /// the `Data` itself without copying (`bytesNoCopy`), its memory must not be written to.
  ///
  /// - Complexity: O(1) and two small allocations when it shares, otherwise one allocation.
  public init(_ data: Data) {
    guard data.count >= Self.smallestShared else {
      self = data.withUnsafeBytes { Bytes(copying: $0) }
      return
    }
    // The pointer outlives the closure that receives it. That is safe here: a `Data` of this size stores its bytes in a
    // heap object that never moves them, `owner` holds a reference to that object, and code that writes to a `Data`
    // copies the object first if there is another reference to it.
    let owner = DataOwner(data)
    self = owner.data.withUnsafeBytes { Bytes(unsafeShowing: $0, owner: owner) }
  }
}

/// Keeps the memory of a `Data` alive and shared, so that no code writes to it in place.
private final class DataOwner: Sendable {
  let data: Data
  init(_ data: Data) { self.data = data }
}
