#if HTTP
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
#endif

/// The variables of this process's environment.
enum ProcessVariables {
  #if HTTP
    /// Read once: `getenv` beside `setenv` in another thread is not safe.
    static let all = ProcessInfo.processInfo.environment
  #else
    /// Nothing connects without the trait.
    static let all: [String: String] = [:]
  #endif
}
