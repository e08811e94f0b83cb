import RangeIO
import Testing

@testable import RangeIOTestSupport

@Suite(.simulated) struct WaitingListTests {
  @Test func `a wait returns the answer`() async throws {
    let list = WaitingList()
    let answer = OneAnswer<Int>()
    answer.resolve(.success(3))
    #expect(try await list.wait(for: answer) == 3)
  }

  @Test func `failing answers all who wait and all who come later`() async {
    let list = WaitingList()
    let answers = (0..<20).map { _ in OneAnswer<Int>() }
    let waits = answers.map { answer in start { try await list.wait(for: answer) } }
    await quiet()
    #expect(list.count == 20)
    list.failAll(Refusal.no)
    for wait in waits { await #expect(throws: Refusal.no) { try await wait.value } }
    #expect(list.count == 0)
    await #expect(throws: Refusal.no) { try await list.wait(for: OneAnswer<Int>()) }
    #expect(list.count == 0)
  }

  @Test func `an answer that came before the failure is kept`() async throws {
    let list = WaitingList()
    let answer = OneAnswer<Int>()
    list.failAll(Refusal.no)
    answer.resolve(.success(1))
    #expect(try await list.wait(for: answer) == 1)
  }

  @Test func `a cancelled wait ends alone and leaves the list`() async throws {
    let list = WaitingList()
    let (one, other) = (OneAnswer<Int>(), OneAnswer<Int>())
    let cancelled = start { try await list.wait(for: one) }
    let staying = start { try await list.wait(for: other) }
    await quiet()
    #expect(list.count == 2)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(list.count == 1)
    other.resolve(.success(2))
    #expect(try await staying.value == 2)
    #expect(list.count == 0)
  }

  @Test func `what is taken off the list is not failed`() {
    let list = WaitingList()
    let (kept, removed) = (OneAnswer<Int>(), OneAnswer<Int>())
    list.add(kept)
    list.add(removed)
    list.remove(removed)
    list.failAll(Refusal.no)
    #expect(kept.isAnswered)
    #expect(!removed.isAnswered)
  }
}
