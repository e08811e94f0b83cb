#if Tool
/// The peak resident memory of this process, in bytes. See getrusage(2).
enum PeakMemory {
  static var bytes: Int {
    var usage = rusage()
    let thisProcess: CInt = 0  // RUSAGE_SELF, which has a different type on each platform
    guard getrusage(thisProcess, &usage) == 0 else { return 0 }
    return usage.ru_maxrss * Platform.peakMemoryUnit
  }
}
#endif
