import Testing

@testable import RangeIOServe

struct ConnectionDeadlineTests {
  private func deadline() -> ConnectionDeadline {
    ConnectionDeadline(headTimeout: .seconds(75), stallTimeout: .seconds(60), now: .seconds(1))
  }

  @Test func `a head is awaited from the beginning, and after each answer`() {
    var state = deadline()
    #expect(state.deadline == .seconds(76))
    state.headArrived()
    #expect(state.deadline == nil)
    state.answerEnded(now: .seconds(100))
    #expect(state.deadline == .seconds(175))
  }

  @Test func `a client that takes nothing has its time, and each piece that it takes begins it anew`() {
    var state = deadline()
    state.headArrived()
    state.writeBegan(now: .seconds(10))
    #expect(state.deadline == .seconds(70))
    state.writeBegan(now: .seconds(20))
    #expect(state.deadline == .seconds(70))
    state.writeEnded(now: .seconds(50))
    #expect(state.deadline == .seconds(110))
    state.writeEnded(now: .seconds(60))
    #expect(state.deadline == nil)
  }

  @Test func `an answer that has ended but is not taken is awaited as one under way`() {
    var state = deadline()
    state.headArrived()
    state.writeBegan(now: .seconds(10))
    state.answerEnded(now: .seconds(11))
    #expect(state.deadline == .seconds(70))
    state.writeEnded(now: .seconds(60))
    #expect(state.deadline == .seconds(135))
  }

  @Test func `a client that has closed its side gets what flows, and is not waited for`() {
    var state = deadline()
    state.headArrived()
    state.clientClosed(now: .seconds(10))
    #expect(state.deadline == .seconds(15))
    state.writeBegan(now: .seconds(12))
    state.writeEnded(now: .seconds(14))
    #expect(state.deadline == .seconds(19))
    state.answerEnded(now: .seconds(15))
    #expect(state.deadline == .seconds(19))
  }

  @Test func `requests sent ahead are not awaited`() {
    var state = deadline()
    state.headArrived()
    state.headArrived()
    state.answerEnded(now: .seconds(5))
    #expect(state.deadline == nil)
    state.answerEnded(now: .seconds(6))
    #expect(state.deadline == .seconds(81))
  }
}
