import RangeIO
import RangeIOSupport
import Testing

@testable import RangeIORemote

/// One provider for many reads.
@Suite(.timeLimit(.minutes(2))) struct CredentialStoreTests {
  @Test func `a provider that hangs once does not end all reads, though some always wait`() async throws {
    let (uptime, calls) = (Guarded(Duration.zero), Guarded([Promise<String?>]()))
    let store = CredentialStore(
      asking: SharedWork(outlivesWaiters: false, patience: CredentialsTimes.patience) { uptime.withLock { $0 } }
    ) { _ in
      let answer = Promise<String?>()
      calls.withLock { $0.append(answer) }
      return try await answer.value()
    }
    func ask() -> Task<String?, any Error> { Task { try await store.current { try await $0.value() }.value } }
    var waiting = [ask()]
    // One leaves, another comes before: somebody waits all the time.
    for age in [0, 30, 60, 89] {
      uptime.withLock { $0 = .seconds(age) }
      waiting.append(ask())
      while store.waiterCount < 2 { await Task.yield() }
      let oldest = waiting.removeFirst()
      oldest.cancel()
      await #expect(throws: CancellationError.self) { try await oldest.value }
      while store.waiterCount > 1 { await Task.yield() }
      #expect(calls.withLock { $0.count } == 1)
    }
    uptime.withLock { $0 = CredentialsTimes.patience }
    waiting.append(ask())
    while calls.withLock({ $0.count }) < 2 { await Task.yield() }
    #expect(calls.withLock { $0[1] }.resolve(.success("second")) == true)
    for task in waiting { #expect(try await task.value == "second") }
    // What was given up is not kept.
    calls.withLock { $0[0] }.resolve(.success("first"))
    #expect(try await ask().value == "second" && calls.withLock { $0.count } == 2)
  }
}
