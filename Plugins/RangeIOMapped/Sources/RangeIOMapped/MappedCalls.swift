internal import CRangeIOMapped

/// The system calls that can fail under a mapped file, as a table, so that a test can hand in a disk that fails and a
/// kernel that is old. Results are as in `CRangeIOMapped.h`.
struct MappedCalls: Sendable {
  var status: @Sendable (_ descriptor: CInt, _ into: inout rim_status) -> CInt = { rim_fstat($0, &$1) }
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
  /// Whether calls that else answer at once may wait for a server.
  var isRemote: @Sendable (_ descriptor: CInt) -> Bool = { rim_may_be_remote($0) }
  var close: @Sendable (_ descriptor: CInt) -> CInt = { rim_close($0) }
  /// The wall clock, and the tick of the times that the kernel stamps on files. Nanoseconds.
  var wallClock: @Sendable () -> (now: Int64, tick: Int64) = { (rim_realtime_ns(), wallClockTick) }
}

/// A constant of the kernel's build.
private let wallClockTick = rim_realtime_tick_ns()
