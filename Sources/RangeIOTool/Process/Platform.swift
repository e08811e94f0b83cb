// What differs between the platforms: all other files of the tool are the same on each.

#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#endif

enum Platform {
  #if canImport(Darwin)
  /// The unit of `ru_maxrss`, in bytes.
  static let peakMemoryUnit = 1

  /// The most bytes that one `write` accepts.
  static let maxWriteBytes = Int(CInt.max)

  /// Swift always finds the arguments of the process here.
  static var hasArguments: Bool { true }

  /// The handler in `action`.
  static func handler(of action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
  }

  /// When a file was written last, and when its status changed.
  static func times(_ facts: stat) -> (timespec, timespec) { (facts.st_mtimespec, facts.st_ctimespec) }
  #else
  /// The unit of `ru_maxrss`, in bytes.
  static let peakMemoryUnit = 1024

  /// The most bytes that one `write` accepts.
  static let maxWriteBytes = Int.max

  /// `false` if Swift finds no arguments of the process: without `/proc` there are none, or the process is stopped.
  static var hasArguments: Bool { access("/proc/self/cmdline", F_OK) == 0 && CommandLine.argc > 0 }

  /// The handler in `action`.
  static func handler(of action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  /// When a file was written last, and when its status changed.
  static func times(_ facts: stat) -> (timespec, timespec) { (facts.st_mtim, facts.st_ctim) }
  #endif

  /// write(2), at most ``maxWriteBytes`` bytes.
  static func write(_ descriptor: CInt, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
    systemWrite(descriptor, base, min(count, maxWriteBytes))
  }
}

/// Within a type with a function `write`, that one would be found.
private func systemWrite(_ descriptor: CInt, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, base, count)
}
