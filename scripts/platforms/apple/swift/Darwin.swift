// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's module Darwin that this package uses, to type-check what is written for Apple platforms on Linux.
//
// Functions and structures as Swift imports them from the headers beside this folder; each comment names the manual page.
// What has the name of a function is in the module DarwinStructures: a Swift module, unlike a C module, has one thing to a name.
// The Swift overlay (stdlib/public/Platform/Platform.swift and TiocConstants.swift of the Swift project) adds `errno`, `open`,
// `ioctl`, `S_IFMT` and `SIG_IGN`. Nothing here runs.

@_exported import DarwinStructures

private func stub<Value>() -> Value { fatalError("only for type checks") }

// MARK: intro(2)

public var errno: Int32 {
  get { stub() }
  set {}
}
public var EINTR: Int32 { 4 }
public var EEXIST: Int32 { 17 }

// MARK: open(2), close(2), read(2), write(2)

public var O_RDONLY: Int32 { 0x0000 }
public var O_WRONLY: Int32 { 0x0001 }
public var O_NOFOLLOW: Int32 { 0x0100 }
public var O_CREAT: Int32 { 0x0200 }
public var O_EXCL: Int32 { 0x0800 }
public var O_NOCTTY: Int32 { 0x0002_0000 }
public var O_CLOEXEC: Int32 { 0x0100_0000 }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { stub() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { stub() }
@discardableResult public func close(_ fd: Int32) -> Int32 { stub() }
@discardableResult public func pread(
  _ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t
) -> Int { stub() }
@discardableResult public func write(_ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { stub() }

@discardableResult public func read(_ fd: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { stub() }
@discardableResult public func pwrite(
  _ fd: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ offset: off_t
) -> Int { stub() }
public var SEEK_CUR: Int32 { 1 }
@discardableResult public func lseek(_ fd: Int32, _ offset: off_t, _ whence: Int32) -> off_t { stub() }
@discardableResult public func mkstemp(_ template: UnsafeMutablePointer<CChar>!) -> Int32 { stub() }

// MARK: stat(2), chmod(2), utimensat(2)

@discardableResult public func futimens(_ fd: Int32, _ times: UnsafePointer<timespec>!) -> Int32 { stub() }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }

@discardableResult public func stat(_ path: UnsafePointer<CChar>!, _ out: UnsafeMutablePointer<stat>!) -> Int32 {
  stub()
}
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ out: UnsafeMutablePointer<stat>!) -> Int32 {
  stub()
}
@discardableResult public func fstat(_ fd: Int32, _ out: UnsafeMutablePointer<stat>!) -> Int32 { stub() }
@discardableResult public func fchmod(_ fd: Int32, _ mode: mode_t) -> Int32 { stub() }

// MARK: access(2), link(2), rename(2), unlink(2), realpath(3)

public var X_OK: Int32 { 1 }
public var R_OK: Int32 { 4 }
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { stub() }
@discardableResult public func link(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { stub() }
@discardableResult public func rename(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!) -> Int32 { stub() }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { stub() }
@discardableResult public func realpath(
  _ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { stub() }

// MARK: directory(3)

public struct DIR {}
public struct dirent {
  public var d_ino: UInt64
  public var d_seekoff: UInt64
  public var d_reclen: UInt16
  public var d_namlen: UInt16
  public var d_type: UInt8
  /// 1024 bytes in truth.
  public var d_name: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar)
}
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { stub() }
@discardableResult public func readdir(_ directory: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! {
  stub()
}
@discardableResult public func closedir(_ directory: UnsafeMutablePointer<DIR>!) -> Int32 { stub() }

// MARK: isatty(3), ioctl(2), tty(4)

public struct winsize {
  public var ws_row: UInt16
  public var ws_col: UInt16
  public var ws_xpixel: UInt16
  public var ws_ypixel: UInt16
  public init() { self = stub() }
}
public var TIOCGWINSZ: UInt { 0x4008_7468 }
@discardableResult public func isatty(_ fd: Int32) -> Int32 { stub() }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { stub() }
public func ioctl(_ fd: CInt, _ request: UInt, _ pointer: UnsafeMutableRawPointer) -> CInt { stub() }
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { stub() }

// MARK: poll(2)

public var POLLOUT: Int32 { 0x0004 }
public var POLLIN: Int32 { 0x0001 }
@discardableResult public func poll(_ fds: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ timeout: Int32) -> Int32 {
  stub()
}

// MARK: sigaction(2), signal(3), sigsetops(3), sigwait(2), pthread_sigmask(2), pause(3)

public var SIG_IGN: sig_t { stub() }
public var SIG_BLOCK: Int32 { 1 }
public var SIGHUP: Int32 { 1 }
public var SIGINT: Int32 { 2 }
public var SIGPIPE: Int32 { 13 }
public var SIGTERM: Int32 { 15 }
public var SIGXFSZ: Int32 { 25 }
@discardableResult public func signal(_ number: Int32, _ handler: sig_t!) -> sig_t! { stub() }
@discardableResult public func sigaction(
  _ number: Int32, _ action: UnsafePointer<sigaction>!, _ old: UnsafeMutablePointer<sigaction>!
) -> Int32 { stub() }
@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { stub() }
@discardableResult public func sigaddset(_ set: UnsafeMutablePointer<sigset_t>!, _ number: Int32) -> Int32 { stub() }
@discardableResult public func sigwait(
  _ set: UnsafePointer<sigset_t>!, _ number: UnsafeMutablePointer<Int32>!
) -> Int32 { stub() }
@discardableResult public func pthread_sigmask(
  _ how: Int32, _ set: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32 { stub() }
@discardableResult public func pause() -> Int32 { stub() }

// MARK: nanosleep(2), exit(3), getpid(2), getrusage(2)

public struct timeval {
  public var tv_sec: time_t
  public var tv_usec: Int32
}
public struct rusage {
  public var ru_utime: timeval
  public var ru_stime: timeval
  public var ru_maxrss: Int
  public init() { self = stub() }
}
@discardableResult public func nanosleep(
  _ time: UnsafePointer<timespec>!, _ rest: UnsafeMutablePointer<timespec>!
) -> Int32 { stub() }
public func exit(_ code: Int32) -> Never { stub() }
public func _exit(_ code: Int32) -> Never { stub() }
@discardableResult public func getpid() -> pid_t { stub() }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>!) -> Int32 { stub() }

// MARK: getpwnam(3), getenv(3), malloc(3), memory(3), string(3), pow(3), log(3), sin(3), cos(3)

public struct passwd {
  public var pw_name: UnsafeMutablePointer<CChar>!
  public var pw_dir: UnsafeMutablePointer<CChar>!
  public init() { self = stub() }
}
@discardableResult public func getpwnam(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<passwd>! { stub() }
@discardableResult public func getpwuid(_ user: uid_t) -> UnsafeMutablePointer<passwd>! { stub() }
@discardableResult public func getuid() -> uid_t { stub() }
@discardableResult public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { stub() }
public func free(_ memory: UnsafeMutableRawPointer!) {}
@discardableResult public func memcmp(_ a: UnsafeRawPointer!, _ b: UnsafeRawPointer!, _ count: Int) -> Int32 { stub() }
@discardableResult public func strlen(_ text: UnsafePointer<CChar>!) -> Int { stub() }
@discardableResult public func strchr(_ text: UnsafePointer<CChar>!, _ byte: Int32) -> UnsafeMutablePointer<CChar>! {
  stub()
}
public func pow(_ base: Double, _ exponent: Double) -> Double { stub() }
public func log(_ value: Double) -> Double { stub() }
public func sin(_ angle: Double) -> Double { stub() }
public func cos(_ angle: Double) -> Double { stub() }
