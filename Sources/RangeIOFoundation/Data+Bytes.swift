public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
