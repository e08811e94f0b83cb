import CRangeIOSystem
package import SystemPackage

/// The kernel's report about an open file.
package struct FileStatus: Equatable, Sendable {
  var device: UInt64 = 0
  var inode: UInt64 = 0
  package var size = 0
  var modified = FileTime(seconds: 0, nanoseconds: 0)
  var changed = FileTime(seconds: 0, nanoseconds: 0)
  var mode: UInt32 = 0
  /// The number of the file's names.
  var links: UInt64 = 1
  package var owner: UInt32 = 0
  var group: UInt32 = 0

  init() {}

  fileprivate init(_ raw: rio_stat) {
    device = raw.device
    inode = raw.inode
    size = Int(raw.size)
    modified = FileTime(raw.modified)
    changed = FileTime(raw.changed)
    mode = raw.mode
    links = raw.links
    owner = raw.owner
    group = raw.group
  }
}

/// The system calls for reading a file, as a table, so that a test can pass in a disk that fails.
///
/// A result of zero or more is what the call returns; a negative one is `-errno`. Offsets and counts are bytes.
///
/// A class, so that passing it on costs one retain and not one for each call.
package final class Syscalls: Sendable {
  package typealias Open = @Sendable (_ path: FilePath) -> Int
  package typealias Status = @Sendable (_ descriptor: CInt, _ into: inout FileStatus) -> Int
  typealias StatusOfPath = @Sendable (_ path: FilePath, _ into: inout FileStatus) -> Int
  package typealias Read = @Sendable (_ descriptor: CInt, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int

  /// The calls, each by default the kernel's.
  package struct Calls: Sendable {
    var open: Open = { $0.withPlatformString { Int(rio_open_readonly($0)) } }
    /// For a regular file that a process has leased for writing, when ``open`` returns `-EWOULDBLOCK`: waits for the
    /// end of the lease.
    var openWaiting: Open = { $0.withPlatformString { Int(rio_open_waiting($0)) } }
    /// An independent descriptor of the same file, at position 0.
    var reopen: @Sendable (_ descriptor: CInt) -> Int = { Int(rio_reopen_readonly($0)) }
    /// The same, for reads that bypass the page cache.
    var reopenDirect: @Sendable (_ descriptor: CInt) -> Int = { Int(rio_reopen_direct($0)) }
    /// The alignment of reads of such a descriptor; `nil` if its file system has no such reads.
    var directAlignment: @Sendable (_ descriptor: CInt) -> DirectAlignment? = { descriptor in
      var (memory, offset): (UInt32, UInt32) = (0, 0)
      return rio_direct_alignment(descriptor, &memory, &offset)
        ? DirectAlignment(memory: Int(memory), offset: Int(offset)) : nil
    }
    var close: @Sendable (_ descriptor: CInt) -> Int = { Int(rio_close($0)) }
    /// Makes an open descriptor number refer to an empty file, so that its file is closed even if the number is still
    /// used.
    var release: @Sendable (_ descriptor: CInt) -> Int = { Int(rio_let_go($0)) }
    var status: Status = Syscalls.kernelStatus
    /// The status of what a path refers to, without opening it.
    var statusOfPath: StatusOfPath = Syscalls.kernelStatusOfPath
    /// The id of an open file's file system. May wait.
    var fileSystem: @Sendable (_ descriptor: CInt) -> UInt64 = { rio_filesystem_id($0) }
    /// The current name of an open file; `nil` if the system does not report it. Waits for no disk.
    var name: @Sendable (_ descriptor: CInt) -> String? = Syscalls.kernelName
    var read: Read = { Int(rio_pread($0, $1.baseAddress, $1.count, Int64($2))) }
    /// Reads from the page cache, without waiting for the disk. `-EAGAIN`: nothing there. `-EOPNOTSUPP`: cannot tell.
    var readResident: Read = { Int(rio_pread_resident($0, $1.baseAddress, $1.count, Int64($2))) }
    /// Reads into several buffers, one after the other; `resident` as for ``readResident``.
    var readScattered:
      @Sendable (_ descriptor: CInt, UnsafeBufferPointer<iovec>, _ offset: Int, _ resident: Bool) -> Int = {
        Int(rio_preadv($0, $1.baseAddress, CInt(clamping: $1.count), Int64($2), $3))
      }
    /// True if calls that otherwise return at once may wait for a server.
    var isRemote: @Sendable (_ descriptor: CInt) -> Bool = { rio_may_be_remote($0) }
    /// Says what will be read soon, or not again. May wait: dropping a gigabyte takes milliseconds.
    var advise: @Sendable (_ descriptor: CInt, _ offset: Int, _ count: Int, _ willNeed: Bool) -> Void = {
      rio_advise($0, Int64($1), Int64($2), $3)
    }
    /// The wall clock, and the tick of the times that the kernel stamps on files. In nanoseconds.
    var wallClock: @Sendable () -> (now: Int64, tick: Int64) = { (rio_realtime_ns(), wallClockTick) }
  }

  let call: Calls

  /// Creates a table of these calls. Default: the kernel's.
  init(_ call: Calls = Calls()) { self.call = call }

  /// The kernel's calls.
  package static let system = Syscalls()

  static let kernelStatus: Status = { descriptor, status in
    var raw = rio_stat()
    let result = rio_fstat(descriptor, &raw)
    if result >= 0 { status = FileStatus(raw) }
    return Int(result)
  }

  static let kernelStatusOfPath: StatusOfPath = { path, status in
    var raw = rio_stat()
    let result = path.withPlatformString { rio_stat_path($0, &raw) }
    if result >= 0 { status = FileStatus(raw) }
    return Int(result)
  }

  static let kernelName: @Sendable (_ descriptor: CInt) -> String? = { descriptor in
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { buffer in
      let count = Int(rio_name_of(descriptor, buffer.baseAddress, CInt(buffer.count)))
      guard count >= 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), as: UTF8.self)
    }
  }
}

/// A constant of the kernel's build.
private let wallClockTick = rio_realtime_tick_ns()

extension Errno {
  /// The error for a negative result of a call in the table.
  init(result: Int) { self.init(rawValue: CInt(truncatingIfNeeded: -result)) }
}

/// A time that the kernel stamped on a file. It covers every time that a file system can store, while nanoseconds in 64
/// bits end in 1677 and 2262. So versions with different times always differ here.
struct FileTime: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64
  /// The nanoseconds after them.
  package var nanoseconds: UInt32

  init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: rio_time) { self.init(seconds: time.seconds, nanoseconds: time.nanoseconds) }

  /// Creates a time from a clock.
  init(nanosecondsSince1970: Int64) {
    let (quotient, remainder) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    let isBefore = remainder < 0
    seconds = isBefore ? quotient - 1 : quotient
    nanoseconds = UInt32(isBefore ? remainder + 1_000_000_000 : remainder)
  }

  static func < (a: FileTime, b: FileTime) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

  /// The time from this one to `other`. A `Duration` has room for any two.
  func duration(to other: FileTime) -> Duration {
    .seconds(other.seconds) - .seconds(seconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Its two numbers, for storing a version.
  var words: [UInt64] { [UInt64(bitPattern: seconds), UInt64(nanoseconds)] }
}
