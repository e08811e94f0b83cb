import RangeIO

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

/// Writes bytes one after the other.
func write(_ pieces: [Bytes], to path: String) throws {
  guard let file = fopen(path, "w") else { throw WriteFailed(path: path) }
  defer { fclose(file) }
  for piece in pieces {
    let bytes = Array(piece)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw WriteFailed(path: path) }
  }
}

struct WriteFailed: Error {
  let path: String
}
