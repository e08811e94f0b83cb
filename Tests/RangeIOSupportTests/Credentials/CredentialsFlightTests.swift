import RangeIO
import RangeIOTestSupport
import Synchronization
import Testing

@testable import RangeIOSupport

@Suite(.timeLimit(.minutes(2))) struct CredentialsFlightTests {
  private let first = Keys("a")
  private let second = Keys("b")
  /// The age of fetches goes by it.
  private let uptime = Guarded(Duration.zero)

  /// A flight of which the first fetch hangs.
  private func flight(
    now: @escaping @Sendable () -> Int = { 0 }, hanging: GatedProvider<Keys>, _ provider: GatedProvider<Keys>
  ) -> CredentialsFlight<Keys> {
    let asked = Atomic<Int>(0)
    let work = SharedWork<Int, Keys>(outlivesWaiters: true, patience: CredentialsTimes.patience) { [uptime] in
      uptime.withLock { $0 }
    }
    return CredentialsFlight(expiry: \.expiry, now: now, by: work) { _ in
      let isFirst = asked.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1
      return try await (isFirst ? hanging : provider).value()
    }
  }

  @Test func `one fetch serves all who ask`() async throws {
    let provider = GatedProvider<Keys>()
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
    try await withThrowingTaskGroup(of: Keys.self) { group in
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
    let provider = GatedProvider<Keys>()
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
    async let begun = flight.credentials()
    await provider.asked(1)
    provider.answer(.success(first))
    let refused = try await begun
    try await withThrowingTaskGroup(of: Keys.self) { group in
      for _ in 0..<50 { group.addTask { try await flight.credentials(insteadOf: refused) } }
      await provider.asked(2)
      provider.answer(.success(second))
      for try await credentials in group { #expect(credentials == second) }
    }
    #expect(provider.askedCount == 2)
  }

  @Test func `flights that share another have one fetch, also of what was refused`() async throws {
    let provider = GatedProvider<Keys>()
    let shared = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
    let flights = (0..<20).map { _ in CredentialsFlight(sharing: shared, expiry: \Keys.expiry, now: { 0 }) }
    for (number, keys) in [first, second].enumerated() {
      await withThrowingTaskGroup(of: Keys.self) { group in
        for flight in flights {
          group.addTask { [first] in
            try await number == 0 ? flight.credentials() : flight.credentials(insteadOf: first)
          }
        }
        await provider.asked(number + 1)
        // Whoever shares it may close.
        if number == 1 { flights[0].close() }
        provider.answer(.success(keys))
        while let result = await group.nextResult() {
          switch result {
          case .success(let found): #expect(found == keys)
          case .failure(let error): #expect(number == 1 && (error as? ReadError)?.code == .closed)
          }
        }
      }
      #expect(provider.askedCount == number + 1)
    }
    let next = CredentialsFlight(sharing: shared, expiry: \Keys.expiry, now: { 0 })
    #expect(try await next.credentials() == second && provider.askedCount == 2)
  }

  @Test func `what sources share goes with the last of them`() async throws {
    let registry = SharedCredentials<String>()
    let fetches = Atomic<Int>(0)
    func flight(_ places: String, _ name: String, expiry: Int?) -> CredentialsFlight<Keys> {
      registry.credentials(
        in: places, named: [name], expiry: \.expiry, now: { 0 }, of: { 0 },
        fetch: {
          fetches.wrappingAdd(1, ordering: .relaxed)
          return Keys(name, expiry: expiry)
        })
    }
    var held = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x")].map { flight($0.0, $0.1, expiry: 3_600) }
    for flight in held { _ = try await flight.credentials() }
    #expect(registry.count == 3 && fetches.load(ordering: .relaxed) == 3)
    held.removeFirst(2)
    #expect(registry.count == 2)
    held = [flight("a", "x", expiry: 3_600)]
    #expect(try await held[0].credentials() == Keys("x", expiry: 3_600) && registry.count == 1)
    // What does not end is fetched by each: the user may have put other keys there.
    held = (0..<3).map { _ in flight("c", "x", expiry: nil) }
    let before = fetches.load(ordering: .relaxed)
    for flight in held { _ = try await flight.credentials() }
    #expect(fetches.load(ordering: .relaxed) == before + 3 && registry.count == 1)
  }

  @Test func `a waiter that is cancelled leaves at once, and the fetch goes on`() async throws {
    let provider = GatedProvider<Keys>()
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
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
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: GatedProvider<Keys>().value)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flight.credentials()
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test func `a failure reaches all who wait, and the next asks again`() async throws {
    let provider = GatedProvider<Keys>()
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
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
    let provider = GatedProvider<Keys>()
    let flight = CredentialsFlight(expiry: \.expiry, now: { 0 }, fetch: provider.value)
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
    let (hanging, provider) = (GatedProvider<Keys>(), GatedProvider<Keys>())
    let flight = flight(hanging: hanging, provider)
    let early = Task { try await flight.credentials() }
    await hanging.asked(1)
    uptime.withLock { $0 = CredentialsTimes.patience }
    let late = Task { try await flight.credentials() }
    await provider.asked(1)
    // What the first brings now is not wanted any more: it may be older.
    hanging.answer(.success(first))
    provider.answer(.success(second))
    #expect(try await early.value == second)
    #expect(try await late.value == second)
  }

  @Test func `a fetch that hangs is replaced, even if the read that saw it is cancelled at that moment`() async throws {
    let (hanging, provider) = (GatedProvider<Keys>(), GatedProvider<Keys>())
    let cancels = Atomic<Bool>(false)
    let flight = flight(
      now: {
        if cancels.exchange(false, ordering: .sequentiallyConsistent) { withUnsafeCurrentTask { $0?.cancel() } }
        return 0
      },
      hanging: hanging, provider)
    let early = Task { try await flight.credentials() }
    await hanging.asked(1)
    uptime.withLock { $0 = CredentialsTimes.patience }
    cancels.store(true, ordering: .sequentiallyConsistent)
    await #expect(throws: CancellationError.self) { try await Task { try await flight.credentials() }.value }
    // Many come while the first still hangs: all have the one that takes its place.
    try await withThrowingTaskGroup(of: Keys.self) { group in
      for _ in 0..<50 { group.addTask { try await flight.credentials() } }
      await provider.asked(1)
      hanging.answer(.success(first))
      provider.answer(.success(second))
      for try await credentials in group { #expect(credentials == second) }
    }
    #expect(try await early.value == second && provider.askedCount == 1)
  }

  @Test(arguments: [-1_000_000, -11, 89, 1_000_000])
  func `a fetch is one fetch, however the clock is set while it runs`(change: Int) async throws {
    let (first, provider) = (GatedProvider<Keys>(), GatedProvider<Keys>())
    let clock = Atomic<Int>(2_000_000)
    let flight = flight(now: { clock.load(ordering: .sequentiallyConsistent) }, hanging: first, provider)
    let early = Task { try await flight.credentials() }
    await first.asked(1)
    clock.wrappingAdd(change, ordering: .sequentiallyConsistent)
    let late = Task { try await flight.credentials() }
    for _ in 0..<100 { await Task.yield() }
    first.answer(.success(second))
    #expect(try await early.value == second)
    #expect(try await late.value == second && provider.askedCount == 0)
  }

  @Test func `a fetch in the background that hangs is replaced while the old ones are good`() async throws {
    let (hanging, provider) = (GatedProvider<Keys>(), GatedProvider<Keys>())
    let clock = Atomic<Int>(0)
    let flight = flight(now: { clock.load(ordering: .sequentiallyConsistent) }, hanging: provider, hanging)
    let task = Task { try await flight.credentials() }
    await provider.asked(1)
    let old = Keys("a", expiry: 1_000)
    provider.answer(.success(old))
    #expect(try await task.value == old)
    clock.store(800, ordering: .sequentiallyConsistent)
    for age in [0, 89, 90, 91] {
      uptime.withLock { $0 = .seconds(age) }
      #expect(try await flight.credentials() == old)
      await hanging.asked(age < 90 ? 1 : 2)
      #expect(hanging.askedCount == (age < 90 ? 1 : 2))
    }
    hanging.answer(.success(second))
    #expect(try await flight.credentials(insteadOf: old) == second && hanging.askedCount == 2)
  }

  @Test func `old credentials are used while new ones are fetched`() async throws {
    let provider = GatedProvider<Keys>()
    let clock = Atomic<Int>(0)
    let flight = CredentialsFlight(
      expiry: \.expiry, now: { clock.load(ordering: .sequentiallyConsistent) }, fetch: provider.value)
    let task = Task { try await flight.credentials() }
    await provider.asked(1)
    let old = Keys("a", expiry: 1_000)
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

  @Test func `a refusal counts for the credentials that were sent, and is thrown if there are no others`() async throws
  {
    let given = Atomic<Int>(0)
    let flight = CredentialsFlight<Keys>(expiry: \.expiry, now: { 0 }) {
      Keys("number \(min(given.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue, 2))")
    }
    let failure = ReadError(.permissionDenied, "expired")
    // Nothing was sent yet.
    flight.noteRefusal(failure) { _ in true }
    try await flight.replaceRefused()
    #expect(flight.last == nil)
    let old = try await flight.credentials()
    flight.noteRefusal(failure) { $0 == old }
    try await flight.replaceRefused()
    let new = try await flight.credentials()
    #expect(old.name == "number 1" && new.name == "number 2" && flight.last == new)
    // One that was sent with the old ones asks for none.
    flight.noteRefusal(failure) { $0 == old }
    try await flight.replaceRefused()
    flight.noteRefusal(failure) { $0 == new }
    let error = await #expect(throws: ReadError.self) { try await flight.replaceRefused() }
    #expect(error?.message == "expired")
  }
}
