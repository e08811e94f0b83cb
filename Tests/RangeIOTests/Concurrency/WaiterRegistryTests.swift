import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct WaiterRegistryTests {
  @Test func `a wait returns the answer`() async throws {
    let list = WaiterRegistry()
    let answer = Promise<Int>()
    answer.resolve(.success(3))
    #expect(try await list.wait(for: answer) == 3)
  }

  @Test func `failing answers all who wait and all who come later`() async {
    let list = WaiterRegistry()
    let answers = (0..<20).map { _ in Promise<Int>() }
    let waits = answers.map { answer in start { try await list.wait(for: answer) } }
    await quiet()
    #expect(list.count == 20)
    list.failAll(Refusal.no)
    for wait in waits { await #expect(throws: Refusal.no) { try await wait.value } }
    #expect(list.count == 0)
    await #expect(throws: Refusal.no) { try await list.wait(for: Promise<Int>()) }
    #expect(list.count == 0)
  }

  @Test func `an answer that came before the failure is kept`() async throws {
    let list = WaiterRegistry()
    let answer = Promise<Int>()
    list.failAll(Refusal.no)
    answer.resolve(.success(1))
    #expect(try await list.wait(for: answer) == 1)
  }

  @Test func `a cancelled wait ends alone and leaves the list`() async throws {
    let list = WaiterRegistry()
    let (one, other) = (Promise<Int>(), Promise<Int>())
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
    let list = WaiterRegistry()
    let (kept, removed) = (Promise<Int>(), Promise<Int>())
    list.add(kept)
    list.add(removed)
    list.remove(removed)
    list.failAll(Refusal.no)
    #expect(kept.isAnswered)
    #expect(!removed.isAnswered)
  }
}
