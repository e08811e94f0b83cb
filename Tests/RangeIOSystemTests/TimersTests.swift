import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

#if os(Linux)
  struct TimersTests {
    // In processes of their own, which run out of descriptors.

    @Test func `a process without a descriptor left can still wait for a time`() async {
      await #expect(processExitsWith: .success) {
        precondition(!Timers.isPrepared)
        let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
        precondition(Timers.isPrepared, "with the first reader")
        // One for each clock. They come in their own time, and nothing tells of it.
        while timerDescriptors() < 2 { await Task.yield() }
        exhaustDescriptors()
        // The timers themselves are tested. Long enough not to be over before they begin.
        try await Task.sleep(for: .milliseconds(1))
        try await Task.sleep(for: .milliseconds(1), clock: .suspending)
        try await ReadClock.continuous.sleep(for: .milliseconds(1))
        await reader.close()
      }
    }

    @Test func `nothing is prepared for where there are no descriptors for it`() async {
      await #expect(processExitsWith: .success) {
        let taken = exhaustDescriptors()
        precondition(!Timers.prepare() && !Timers.isPrepared)
        for descriptor in taken { close(descriptor) }
        precondition(Timers.prepare() && Timers.isPrepared, "the next one who asks tries again")
      }
    }
  }

  /// The number of the process's descriptors that are timers.
  private func timerDescriptors() -> Int {
    (0..<128).filter { number in
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/self/fd/\(number)", &target, target.count)
      return String(decoding: target.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        .contains("timerfd")
    }.count
  }

  /// Opens all that may be opened.
  @discardableResult private func exhaustDescriptors() -> [CInt] {
    var limit = rlimit(rlim_cur: 128, rlim_max: 128)
    // RLIMIT_NOFILE: not imported in a form that the call takes.
    setrlimit(__rlimit_resource_t(7), &limit)
    var taken: [CInt] = []
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      guard descriptor >= 0 else { return taken }
      taken.append(descriptor)
    }
  }
#endif
