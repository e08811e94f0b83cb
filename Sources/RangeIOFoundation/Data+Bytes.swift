public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Data from bytes, with a copy or without.
extension Data {
  /// Copies `bytes` to a `Data`.
  ///
  /// Use this to pass bytes that you have read to an API that takes `Data`. If the copy shows up in a profile, and no
  /// code will change the result, use ``init(unsafeSharing:)``.
  ///
  /// ```swift
  /// let header = try JSONDecoder().decode(Header.self, from: Data(try await reader.read(0..<512)))
  /// ```
  ///
  /// - Complexity: O(n), one allocation, also if `bytes` consist of several pieces of memory.
  public init(_ bytes: Bytes) {
    self.init(count: bytes.count)
    withUnsafeMutableBytes { bytes.copyBytes(to: $0) }
  }

  /// Shares the memory of `bytes`. Copies only if `bytes` consist of several pieces. **You must not change the
  /// result.**
  ///
  /// Use this for megabytes that other code only looks at: a decoder, a hash function, an image.
  ///
  /// When a `Data` holds the only reference to its memory, code may change it in place, no matter where the memory came
  /// from. Here that would be the memory of `bytes`, which others, such as a cache, share and rely on. So keep the
  /// result in a `let`, and do not pass it to code that may change it: pass a copy (``init(_:)``) to such code.
  ///
  /// The memory of `bytes` stays alive as long as this `Data` or a slice of it.
  ///
  /// - Complexity: O(1) and two small allocations for one piece; for several pieces as ``init(_:)``.
  public init(unsafeSharing bytes: Bytes) {
    guard bytes.isContiguous, !bytes.isEmpty else {
      self.init(bytes)
      return
    }
    let piece = bytes.contiguous()
    self = piece.withUnsafeBytes { memory in
      // The pointer outlives the closure; the deallocator keeps the memory it points to. Nothing may write through it.
      Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: memory.baseAddress!), count: memory.count,
        deallocator: .custom { _, _ in withExtendedLifetime(piece) {} })
    }
  }
}

/// Bytes from data, with a copy or without.
extension Bytes {
  /// Below this size, a copy costs no more than the two small allocations that sharing takes. It is also far more than
  /// a `Data` stores inline, without an allocation.
  static let minSharedBytes = 1024

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
  /// A slice of a `Data` keeps the whole `Data` in memory, and `backingByteCount` cannot show that. If you created
  /// the `Data` itself without copying (`bytesNoCopy`), its memory must not be written to.
  ///
  /// - Complexity: O(1) and two small allocations when it shares, otherwise one allocation.
  public init(_ data: Data) {
    guard data.count >= Self.minSharedBytes else {
      self = data.withUnsafeBytes { Bytes(copying: $0) }
      return
    }
    // The pointer outlives the closure that receives it. That is safe here: a `Data` of this size stores its bytes in a
    // heap object that never moves them, `owner` holds a reference to that object, and code that writes to a `Data`
    // copies the object first if there is another reference to it.
    let owner = DataOwner(data)
    self = owner.data.withUnsafeBytes { Bytes(unsafeNoCopy: $0, owner: owner) }
  }
}

/// Keeps the memory of a `Data` alive and shared, so that no code writes to it in place.
private final class DataOwner: Sendable {
  let data: Data
  init(_ data: Data) { self.data = data }
}
