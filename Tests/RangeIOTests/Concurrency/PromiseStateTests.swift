import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Event by event; the waiter is an `Int`, the value a `String`.
@Suite struct PromiseStateTests {
  private typealias State = PromiseState<Int, String>

  private static func name(_ answered: State.Answered) -> String {
    switch answered {
    case .resume(let waiter): "resume \(waiter)"
    case .kept: "kept"
    case .late: "late"
    }
  }

  @Test func `a waiter before the answer is resumed by it`() {
    var state = State()
    #expect(!state.isAnswered)
    #expect(state.wait(7) == nil)
    #expect(!state.isAnswered)
    #expect(Self.name(state.answer("a")) == "resume 7")
    #expect(state.isAnswered)
  }

  @Test func `an answer before the waiter is kept for it`() {
    var state = State()
    #expect(Self.name(state.answer("a")) == "kept")
    #expect(state.isAnswered)
    #expect(state.wait(7) == "a")
    #expect(state.isAnswered)
  }

  @Test func `the first answer counts, whenever the waiter comes`() {
    var before = State()
    #expect(Self.name(before.answer("a")) == "kept")
    #expect(Self.name(before.answer("b")) == "late")
    #expect(before.wait(7) == "a")
    #expect(Self.name(before.answer("c")) == "late")

    var after = State()
    #expect(after.wait(7) == nil)
    #expect(Self.name(after.answer("a")) == "resume 7")
    #expect(Self.name(after.answer("b")) == "late")
  }

  @Test func `a second waiter traps`() async {
    await #expect(processExitsWith: .failure) {
      var state = PromiseState<Int, String>()
      _ = state.wait(1)
      _ = state.wait(2)
    }
  }

  @Test func `a waiter after one that was answered traps`() async {
    await #expect(processExitsWith: .failure) {
      var state = PromiseState<Int, String>()
      _ = state.answer("a")
      _ = state.wait(1)
      _ = state.wait(2)
    }
  }
}
