// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// Types of Apple's module Darwin: see Darwin.swift.

private func stub<Value>() -> Value { fatalError("only for type checks") }

// MARK: types(5)

public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias uid_t = UInt32
public typealias gid_t = UInt32
public typealias pid_t = Int32
public typealias off_t = Int64
public typealias time_t = Int
public typealias nfds_t = UInt32

// MARK: clock_gettime(3)

public struct timespec {
  public var tv_sec: time_t
  public var tv_nsec: Int
  public init() { self = stub() }
  public init(tv_sec: time_t, tv_nsec: Int) { self = stub() }
}

// MARK: stat(2)

public struct stat {
  public var st_dev: dev_t
  public var st_mode: mode_t
  public var st_nlink: nlink_t
  public var st_ino: UInt64
  public var st_uid: uid_t
  public var st_gid: gid_t
  public var st_rdev: dev_t
  public var st_atimespec: timespec
  public var st_mtimespec: timespec
  public var st_ctimespec: timespec
  public var st_birthtimespec: timespec
  public var st_size: off_t
  public var st_blocks: Int64
  public var st_blksize: Int32
  public var st_flags: UInt32
  public var st_gen: UInt32
  public init() { self = stub() }
}

// MARK: sigaction(2)

public typealias sigset_t = UInt32
public typealias sig_t = @convention(c) (Int32) -> Void
public struct __sigaction_u {
  /// A union.
  public var __sa_handler: sig_t!
  public init() { self = stub() }
}
public struct sigaction {
  public var __sigaction_u: __sigaction_u
  public var sa_mask: sigset_t
  public var sa_flags: Int32
  public init() { self = stub() }
}

// MARK: poll(2)

public struct pollfd {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init() { self = stub() }
  public init(fd: Int32, events: Int16, revents: Int16) { self = stub() }
}
