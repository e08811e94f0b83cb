import Testing

@testable import RangeIOServe

struct HTTP2LifetimeTests {
  private var lifetime: HTTP2Lifetime { HTTP2Lifetime(idleTimeout: .seconds(75), now: .seconds(1)) }

  @Test func `a connection without streams ends after its time, and one with streams does not`() {
    var state = lifetime
    #expect(state.deadline == .seconds(76))
    #expect(state.look(now: .seconds(75)) == .none)
    state.streamOpened(1)
    state.streamOpened(3)
    #expect(state.deadline == nil && state.look(now: .seconds(1000)) == .none)
    #expect(state.streamClosed(now: .seconds(10)) == .none)
    #expect(state.deadline == nil)
    #expect(state.streamClosed(now: .seconds(20)) == .none)
    #expect(state.deadline == .seconds(95))
    #expect(state.look(now: .seconds(95)) == .endAfter(3))
    #expect(state.deadline == nil && state.look(now: .seconds(200)) == .none)
  }

  @Test func `a server that stops ends an idle connection at once`() {
    var state = lifetime
    #expect(state.stops(now: .seconds(2)) == .endAfter(0))
    #expect(state.stops(now: .seconds(3)) == .none)
  }

  @Test func `streams under way end, those begun meanwhile too, and the connection ends with the last`() {
    var state = lifetime
    state.streamOpened(1)
    #expect(state.stops(now: .seconds(2)) == .announceEnd)
    state.streamOpened(3)
    #expect(state.streamClosed(now: .seconds(2)) == .none)
    #expect(state.signCame() == .refuseAfter(3))
    #expect(state.signCame() == .none)
    #expect(state.deadline == nil)
    #expect(state.streamClosed(now: .seconds(9)) == .close)
  }

  @Test(arguments: [true, false])
  func `a client that gives no sign is not waited for`(isAnswered: Bool) {
    var state = lifetime
    state.streamOpened(5)
    #expect(state.stops(now: .seconds(2)) == .announceEnd)
    if isAnswered { #expect(state.streamClosed(now: .seconds(2)) == .none) }
    #expect(state.deadline == .seconds(3) && state.look(now: .seconds(2)) == .none)
    #expect(state.look(now: .seconds(3)) == (isAnswered ? .endAfter(5) : .refuseAfter(5)))
  }
}
