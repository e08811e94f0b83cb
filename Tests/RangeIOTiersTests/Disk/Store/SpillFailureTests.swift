import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Each call to the disk fails, or is the last one: a sample, or all with `RANGEIO_FLIPS=all`.
@Suite struct SpillFailureTests {
  @Test func `nothing fails`() async {
    var script = SpillScript()
    await script.run()
    await script.verify(isComplete: true)
    #expect(script.faults == [])
  }

  @Test(arguments: [Errno.ioError, .noSpace, .readOnlyFileSystem, .permissionDenied])
  func `a call that fails costs what it was for`(errno: Errno) async {
    await forEachCall { position, script in
      script.spill.disk.faults = DiskFaults { $0.position == position ? .fail(errno) : nil }
      await script.run()
      await script.verify(isComplete: false)
    }
  }

  @Test(arguments: [Errno.ioError, .noSpace])
  func `a disk that fails from some call on costs what comes then`(errno: Errno) async {
    await forEachCall { position, script in
      script.spill.disk.faults = DiskFaults { call in
        guard call.position >= position, call.kind.isChange || errno == .ioError && call.kind == .read else {
          return nil
        }
        return .tear(after: call.byteCount / 2, errno)
      }
      await script.run()
      await script.verify(isComplete: false)
    }
  }

  @Test func `a process that ends at some call leaves all that its index knew`() async {
    await forEachCall { position, script in
      script.spill.disk.faults = .crash(at: position, written: 0.5)
      await script.run()
      await script.verify(isComplete: true)
    }
  }

  @Test func `a loss of power serves nothing wrong, and nothing whose removal was acknowledged`() async {
    await forEachCall(syncsEvery: .bytes(1)) { position, script in
      script.spill.disk.faults = .crash(at: position, written: 0.5)
      await script.run()
      script.spill.disk.losePower(seed: UInt64(position))
      await script.verify(isComplete: false)
    }
  }

  private func forEachCall(
    syncsEvery: ByteCount? = nil, _ body: (Int, inout SpillScript) async -> Void
  ) async {
    var whole = SpillScript(syncsEvery: syncsEvery)
    let count = await whole.run()
    let step = TestScale.isDamageComplete ? 1 : 11
    for position in stride(from: Int.random(in: 0..<step), to: count, by: step) {
      var script = SpillScript(syncsEvery: syncsEvery)
      await body(position, &script)
      #expect(script.faults == [], "at call \(position)")
    }
    TestScale.report("\(count) calls")
  }
}
