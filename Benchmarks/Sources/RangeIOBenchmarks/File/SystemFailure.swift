#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A system call that failed, and what it was for.
struct SystemFailure: Error, CustomStringConvertible {
  let code: CInt
  let doing: String

  var description: String { "could not \(doing): \(String(cString: strerror(code)))" }

  /// What C could not make, where it has nothing else to say of it.
  static func noMemory(_ doing: String) -> SystemFailure { SystemFailure(code: ENOMEM, doing: doing) }

  /// `result`, unless it is a negative errno.
  @discardableResult static func check(_ result: Int64, _ doing: String) throws -> Int64 {
    guard result >= 0 else { throw SystemFailure(code: CInt(-result), doing: doing) }
    return result
  }
}
