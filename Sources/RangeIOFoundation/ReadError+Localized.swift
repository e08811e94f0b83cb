public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ReadError: LocalizedError {
  /// What failed, what to do about it, and what was being read: the text that an alert or `localizedDescription` shows.
  ///
  /// In English; translate by ``ReadError/code`` if your users need it.
  public var errorDescription: String? { explanation }
}
