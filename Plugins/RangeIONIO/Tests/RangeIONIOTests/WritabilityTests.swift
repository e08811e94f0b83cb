#if NIO
  import NIOCore
  import Testing

  @testable import RangeIONIO

  struct WritabilityTests {
    private enum Answer: Equatable { case pass, wait, fail }

    private func told(_ answer: Writability<Int>.Answer) -> Answer {
      switch answer {
      case .pass: .pass
      case .wait: .wait
      case .fail: .fail
      }
    }

    @Test func `a writer passes while the channel is writable`() {
      var state = Writability<Int>(isWritable: true)
      #expect(told(state.wait(1)) == .pass && told(state.wait(2)) == .pass)
      #expect(state.changed(isWritable: false) == nil)
      #expect(told(state.wait(3)) == .wait)
    }

    @Test func `a writer that waits goes on when the channel becomes writable, once`() {
      var state = Writability<Int>(isWritable: false)
      #expect(told(state.wait(1)) == .wait)
      #expect(state.changed(isWritable: false) == nil)
      #expect(state.changed(isWritable: true) == 1)
      #expect(state.changed(isWritable: true) == nil)
      #expect(told(state.wait(2)) == .pass)
    }

    @Test func `a failure ends the wait and all later ones, with the first reason`() {
      var state = Writability<Int>(isWritable: false)
      #expect(told(state.wait(1)) == .wait)
      #expect(state.failed(ChannelError.ioOnClosedChannel) == 1)
      #expect(state.failed(CancellationError()) == nil)
      #expect(state.changed(isWritable: true) == nil)
      guard case .fail(let error) = state.wait(2) else {
        Issue.record("a closed channel is not written to")
        return
      }
      #expect(error as? ChannelError == .ioOnClosedChannel)
    }

    @Test func `a failure before anything waits is remembered`() {
      var state = Writability<Int>(isWritable: true)
      #expect(state.failed(CancellationError()) == nil)
      #expect(told(state.wait(1)) == .fail)
    }
  }
#endif
