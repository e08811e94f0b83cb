#if S3
  import RangeIO
  import RangeIOSupport
  import Synchronization
  import Testing

  @testable import RangeIOS3

  /// A provider that answers when the test says so.
  final class GatedProvider: Sendable {
    private struct State {
      var asked = 0
      var waiters: [CheckedContinuation<S3Credentials, any Error>] = []
      var counted: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Guarded(State())

    var askedCount: Int { state.withLock { $0.asked } }

    func credentials() async throws -> S3Credentials {
      try await withCheckedThrowingContinuation { continuation in
        let ready = state.withLock { state in
          state.asked += 1
          state.waiters.append(continuation)
          let ready = state.counted.filter { $0.count <= state.asked }
          state.counted.removeAll { $0.count <= state.asked }
          return ready
        }
        for one in ready { one.continuation.resume() }
      }
    }

    /// Returns when the provider has been asked that often.
    func asked(_ count: Int) async {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.asked >= count { return true }
          state.counted.append((count, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    }

    func answer(_ result: Result<S3Credentials, any Error>) {
      let waiters = state.withLock { state in
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume(with: result) }
    }
  }

  @Suite(.timeLimit(.minutes(2))) struct CredentialsFlightTests {
    private let first = S3Credentials(accessKeyID: "a", secretAccessKey: "s")
    private let second = S3Credentials(accessKeyID: "b", secretAccessKey: "s")

    @Test func `one fetch serves all who ask`() async throws {
      let provider = GatedProvider()
      let flight = CredentialsFlight(now: { 0 }, fetch: provider.credentials)
      try await withThrowingTaskGroup(of: S3Credentials.self) { group in
        for _ in 0..<100 { group.addTask { try await flight.credentials() } }
        await provider.asked(1)
        provider.answer(.success(first))
        for try await credentials in group { #expect(credentials == first) }
      }
      #expect(provider.askedCount == 1)
      #expect(try await flight.credentials() == first)
      #expect(provider.askedCount == 1)
    }

    @Test func `one fetch replaces what was refused to many`() async throws {
      let provider = GatedProvider()
      let flight = CredentialsFlight(now: { 0 }, fetch: provider.credentials)
      async let begun = flight.credentials()
      await provider.asked(1)
      provider.answer(.success(first))
      let refused = try await begun
      try await withThrowingTaskGroup(of: S3Credentials.self) { group in
        for _ in 0..<50 { group.addTask { try await flight.credentials(insteadOf: refused) } }
        await provider.asked(2)
        provider.answer(.success(second))
        for try await credentials in group { #expect(credentials == second) }
      }
      #expect(provider.askedCount == 2)
    }

    @Test func `a waiter that is cancelled leaves at once, and the fetch goes on`() async throws {
      let provider = GatedProvider()
      let flight = CredentialsFlight(now: { 0 }, fetch: provider.credentials)
      let left = Task { try await flight.credentials() }
      await provider.asked(1)
      let stays = Task { try await flight.credentials() }
      left.cancel()
      await #expect(throws: CancellationError.self) { _ = try await left.value }
      provider.answer(.success(first))
      #expect(try await stays.value == first)
      #expect(provider.askedCount == 1)
    }

    @Test func `a task that is cancelled already does not wait`() async throws {
      let flight = CredentialsFlight(now: { 0 }, fetch: GatedProvider().credentials)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await flight.credentials()
      }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func `a failure reaches all who wait, and the next asks again`() async throws {
      let provider = GatedProvider()
      let flight = CredentialsFlight(now: { 0 }, fetch: provider.credentials)
      let task = Task { try await flight.credentials() }
      await provider.asked(1)
      provider.answer(.failure(ReadError(.permissionDenied, "no")))
      let error = await #expect(throws: ReadError.self) { _ = try await task.value }
      #expect(error?.code == .permissionDenied)
      let again = Task { try await flight.credentials() }
      await provider.asked(2)
      provider.answer(.success(first))
      #expect(try await again.value == first)
    }

    @Test func `closing ends the waits, and nothing begins afterwards`() async throws {
      let provider = GatedProvider()
      let flight = CredentialsFlight(now: { 0 }, fetch: provider.credentials)
      let task = Task { try await flight.credentials() }
      await provider.asked(1)
      flight.close()
      let error = await #expect(throws: ReadError.self) { _ = try await task.value }
      #expect(error?.code == .closed)
      let late = await #expect(throws: ReadError.self) { _ = try await flight.credentials() }
      #expect(late?.code == .closed)
      provider.answer(.success(first))
      #expect(provider.askedCount == 1)
    }

    @Test func `a provider that hangs once does not end all reads`() async throws {
      let (hanging, provider) = (GatedProvider(), GatedProvider())
      let clock = Atomic<Int>(0)
      let asked = Atomic<Int>(0)
      let flight = CredentialsFlight(now: { clock.load(ordering: .sequentiallyConsistent) }) {
        let isFirst = asked.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1
        return try await (isFirst ? hanging : provider).credentials()
      }
      let early = Task { try await flight.credentials() }
      await hanging.asked(1)
      clock.store(CredentialsState.patience, ordering: .sequentiallyConsistent)
      let late = Task { try await flight.credentials() }
      await provider.asked(1)
      // What the first brings now is not wanted any more: it may be older.
      hanging.answer(.success(first))
      provider.answer(.success(second))
      #expect(try await early.value == second)
      #expect(try await late.value == second)
    }

    @Test func `a fetch that hangs is replaced, even if the read that saw it is cancelled at that moment`() async throws
    {
      let (hanging, provider) = (GatedProvider(), GatedProvider())
      let clock = Atomic<Int>(0)
      let asked = Atomic<Int>(0)
      let cancels = Atomic<Bool>(false)
      let flight = CredentialsFlight(
        now: {
          if cancels.exchange(false, ordering: .sequentiallyConsistent) { withUnsafeCurrentTask { $0?.cancel() } }
          return clock.load(ordering: .sequentiallyConsistent)
        },
        fetch: {
          let isFirst = asked.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1
          return try await (isFirst ? hanging : provider).credentials()
        })
      let early = Task { try await flight.credentials() }
      await hanging.asked(1)
      clock.store(CredentialsState.patience, ordering: .sequentiallyConsistent)
      cancels.store(true, ordering: .sequentiallyConsistent)
      await #expect(throws: CancellationError.self) { try await Task { try await flight.credentials() }.value }
      await provider.asked(1)
      // Many come while the first still hangs: all have the one that took its place.
      try await withThrowingTaskGroup(of: S3Credentials.self) { group in
        for _ in 0..<50 { group.addTask { try await flight.credentials() } }
        hanging.answer(.success(first))
        provider.answer(.success(second))
        for try await credentials in group { #expect(credentials == second) }
      }
      #expect(try await early.value == second && provider.askedCount == 1)
    }

    @Test func `old credentials are used while new ones are fetched`() async throws {
      let provider = GatedProvider()
      let clock = Atomic<Int>(0)
      let flight = CredentialsFlight(
        now: { clock.load(ordering: .sequentiallyConsistent) }, fetch: provider.credentials)
      let task = Task { try await flight.credentials() }
      await provider.asked(1)
      let old = S3Credentials(accessKeyID: "a", secretAccessKey: "s", expiry: 1_000)
      provider.answer(.success(old))
      #expect(try await task.value == old)
      clock.store(800, ordering: .sequentiallyConsistent)
      #expect(try await flight.credentials() == old)
      await provider.asked(2)
      #expect(try await flight.credentials() == old)
      provider.answer(.success(second))
      // The end of a fetch in the background has no waiter: who is refused waits for it, or finds it done.
      #expect(try await flight.credentials(insteadOf: old) == second)
      #expect(provider.askedCount == 2)
    }
  }

#endif
