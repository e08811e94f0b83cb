public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The text that an alert shows.
extension ReadError: LocalizedError {
  /// The failure, what to do about it, and what was being read. An alert or `localizedDescription` shows this text.
  ///
  /// The text is in English. If your users need another language, translate by its `code`.
  public var errorDescription: String? { explanation }
}
