#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The most memory this process has had resident, in bytes. See getrusage(2).
enum PeakMemory {
  static var bytes: Int {
    var usage = rusage()
    let thisProcess: CInt = 0  // RUSAGE_SELF, which each platform imports as another type
    guard getrusage(thisProcess, &usage) == 0 else { return 0 }
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss * 1024
    #endif
  }
}
