import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct PromiseTests {
  @Test func `a value given before the wait is returned at once`() async throws {
    let answer = Promise<Int>()
    #expect(!answer.isAnswered)
    #expect(answer.resolve(.success(5)))
    #expect(answer.isAnswered)
    #expect(try await answer.value() == 5)
  }

  @Test func `a value given during the wait resumes it`() async throws {
    let answer = Promise<Int>()
    async let value = answer.value()
    #expect(answer.resolve(.success(6)))
    #expect(try await value == 6)
  }

  @Test func `only the first of several answers counts`() async throws {
    let answer = Promise<Int>()
    #expect(answer.resolve(.success(1)))
    #expect(!answer.resolve(.success(2)))
    answer.fail(Refusal.no)
    #expect(try await answer.value() == 1)
    #expect(!answer.resolve(.success(3)))
  }

  @Test func `a failure is thrown`() async {
    let answer = Promise<Int>()
    answer.fail(Refusal.no)
    await #expect(throws: Refusal.no) { try await answer.value() }
  }

  @Test func `a cancelled waiter is answered at once and what comes later is dropped`() async {
    let answer = Promise<Int>()
    let task = Task { try await answer.value() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!answer.resolve(.success(1)))
  }

  @Test func `a wait that begins in a cancelled task throws`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Promise<Int>().value()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A continuation resumed twice traps, one never resumed hangs the test: what is counted is that each racer's claim
  /// agrees with what the waiter got.
  @Test func `racing answers and cancellation resume the waiter exactly once`() async {
    for round in 0..<2000 {
      let answer = Promise<Int>()
      let claims = Noted<Int>()
      let waiter = Task { try await answer.value() }
      await withTaskGroup(of: Void.self) { group in
        for racer in 0..<3 {
          group.addTask { if answer.resolve(.success(racer)) { claims.add(racer) } }
        }
        if round % 2 == 0 { group.addTask { waiter.cancel() } }
      }
      let won = claims.all
      switch await waiter.result {
      case .success(let value): #expect(won == [value])
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(won.isEmpty)
        #expect(round % 2 == 0)
      }
    }
  }
}
