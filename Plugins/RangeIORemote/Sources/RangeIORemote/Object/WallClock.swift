#if HTTP
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif

  /// The clock by which signatures and redirects expire.
  enum WallClock {
    /// Whole seconds since 1970.
    static var now: Int { Int(Date().timeIntervalSince1970) }
  }
#endif
