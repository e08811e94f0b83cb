public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data {
  /// A copy of `bytes`.
  ///
  /// The way to hand what was read to an API that takes `Data`. Use ``init(unsafeSharing:)`` where the copy shows in
  /// a profile and no code will change the result.
  ///
  /// ```swift
  /// let header = try JSONDecoder().decode(Header.self, from: Data(try await reader.read(0..<512)))
  /// ```
  ///
  /// - Complexity: O(n), one allocation, also for a rope.
  public init(_ bytes: Bytes) {
    self.init(count: bytes.count)
    withUnsafeMutableBytes { bytes.copyBytes(to: $0) }
  }

  /// The memory of `bytes`, which is not copied unless it is a rope. **The result must not be changed.**
  ///
  /// For megabytes that are handed on to be looked at: to a decoder, a hash function, an image.
  ///
  /// A `Data` that is the only one to refer to its memory is changed in place, without regard to where that memory
  /// came from. It would be that of `bytes` here, which others, such as a cache, share and count on. So keep the result
  /// in a `let`, and do not pass it to code that may change it: pass a copy (``init(_:)``) there.
  ///
  /// The memory of `bytes` stays as long as this `Data`, or a slice of it, does.
  ///
  /// - Complexity: O(1) and two small allocations for one piece; as ``init(_:)`` for a rope.
  public init(unsafeSharing bytes: Bytes) {
    guard bytes.isContiguous, !bytes.isEmpty else {
      self.init(bytes)
      return
    }
    let piece = bytes.contiguous()
    self = piece.withUnsafeBytes { memory in
      // The pointer outlives the closure; the deallocator keeps what it points to. It is not for writing.
      Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: memory.baseAddress!), count: memory.count,
        deallocator: .custom { _, _ in withExtendedLifetime(piece) {} })
    }
  }
}
