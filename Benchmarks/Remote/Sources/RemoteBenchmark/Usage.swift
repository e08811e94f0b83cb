#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this process has used so far.
struct Usage {
  /// The time of all its processors, with what the system did for it.
  let seconds: Double
  /// The most memory that it had.
  let residentBytes: Int

  init() {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(.init(RUSAGE_SELF.rawValue), &usage)
      let unit = 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      let unit = 1
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    self.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    residentBytes = usage.ru_maxrss * unit
  }
}
