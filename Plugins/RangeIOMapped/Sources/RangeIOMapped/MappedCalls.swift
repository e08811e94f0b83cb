internal import CRangeIOMapped
internal import SystemPackage

/// The system calls that can fail for a mapped file. They are a table, so that a test can simulate a failing disk or an
/// old kernel. Results are as in `CRangeIOMapped.h`.
struct MappedCalls: Sendable {
  var status: @Sendable (_ descriptor: CInt, _ into: inout rim_status) -> CInt = { rim_fstat($0, &$1) }
  var statusOfPath: @Sendable (_ path: FilePath, _ into: inout rim_status) -> CInt = { path, status in
    path.withPlatformString { rim_stat_path($0, &status) }
  }
  /// The current name of an open file; `nil` if the system does not tell.
  var name: @Sendable (_ descriptor: CInt) -> String? = { descriptor in
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { buffer in
      let count = Int(rim_name_of(descriptor, buffer.baseAddress!, CInt(buffer.count)))
      guard count >= 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), as: UTF8.self)
    }
  }
  var read: @Sendable (_ descriptor: CInt, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int = {
    Int(rim_pread($0, $1.baseAddress, $1.count, Int64($2)))
  }
  var readResident: @Sendable (_ descriptor: CInt, UnsafeMutableRawBufferPointer, _ offset: Int) -> Int = {
    Int(rim_pread_resident($0, $1.baseAddress, $1.count, Int64($2)))
  }
  var populate: @Sendable (_ pages: UnsafeMutableRawBufferPointer) -> CInt = {
    rim_populate($0.baseAddress, $0.count)
  }
  var isResident: @Sendable (_ pages: UnsafeMutableRawBufferPointer) -> Bool = {
    rim_is_resident($0.baseAddress, $0.count)
  }
  var map: @Sendable (_ descriptor: CInt, _ count: Int, _ error: inout CInt) -> UnsafeMutableRawPointer? = {
    rim_map($0, $1, &$2)
  }
  /// Whether calls that normally return at once may wait for a server.
  var isRemote: @Sendable (_ descriptor: CInt) -> Bool = { rim_may_be_remote($0) }
  var close: @Sendable (_ descriptor: CInt) -> CInt = { rim_close($0) }
  /// The wall clock, and the tick of the clock with which the kernel stamps files. In nanoseconds.
  var wallClock: @Sendable () -> (now: Int64, tick: Int64) = { (rim_realtime_ns(), wallClockTick) }
}

/// A constant of the kernel build.
private let wallClockTick = rim_realtime_tick_ns()
