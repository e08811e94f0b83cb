import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Demand before prefetch wherever reads queue, and what happens when somebody comes to wait for a prefetch.
struct UrgencyTests {
  // MARK: merging

  @Test(.simulated) func `demands have their spans read before prefetches`() async throws {
    let source = HeldSource(isPrompt: true)
    let (asking, merging) = (Asking(), ReadPipeline.merging(maxGap: .bytes(0), maxConcurrentSpans: 1))
    let reader = try await RangeReader(source, [.stage(asking), merging])
    asking.purpose = .prefetch
    let first = start { try await reader.read([0..<1, 100..<101]) }
    await quiet()
    #expect(source.waiting.count == 1)
    let second = start { try await reader.read([1000..<1001, 1100..<1101]) }
    await quiet()
    #expect(merging.permits.waiterCount == 1)
    asking.purpose = .demand
    let demand = start { try await reader.read([5000..<5001, 5100..<5101]) }
    await quiet()
    #expect(merging.permits.waiterCount == 2)
    source.letGo()
    await quiet()
    #expect(source.asked.count == 2)
    #expect(source.asked.map(\.lowerBound) == [0, 5000])
    source.hold(false)
    _ = try await (first.value, second.value, demand.value)
    #expect(source.asked.count == 6)
    await reader.close()
  }

  // MARK: the positional lane

  /// A disk whose reads wait until it is let go, and that notes them.
  private struct SlowDisk {
    let gate = Gate()
    let offsets = Noted<Int>()

    var syscalls: Syscalls {
      Syscalls(
        .init(
          read: { [gate, offsets] descriptor, buffer, offset in
            offsets.add(offset)
            gate.pass()
            return Syscalls.system.call.read(descriptor, buffer, offset)
          },
          readResident: { _, _, _ in -Int(EAGAIN) }))
    }
  }

  @Test(arguments: [false, true])
  func `of reads that wait for a thread, demands are done before prefetches, and one that is raised with them`(
    isRaised: Bool
  ) async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return }
    let directory = try TemporaryDirectory()
    let (path, bytes) = try await directory.file(count: 100_000)
    let disk = SlowDisk()
    let source = FileSource(
      path, configuration: TestEngine.configuration(.positional, syscalls: disk.syscalls, threads: IOThreads(limit: 1)))
    let description = try await source.describe()
    let urgencies = (0..<3).map { _ in ReadUrgency() }
    @Sendable func read(_ offset: Int, _ urgency: ReadUrgency?) async throws {
      let got = try await ReadUrgency.$served.withValue(urgency) {
        try await source.read(offset..<offset + 10, of: description)
      }
      #expect(got == Bytes(bytes[offset..<offset + 10]))
    }
    // Each has come to where it waits when the next begins.
    var tasks = [Task.immediate { try await read(0, nil) }]
    await disk.gate.arrival()
    for (number, urgency) in [urgencies[0], urgencies[1], nil].enumerated() {
      tasks.append(Task.immediate { try await read(1000 * (number + 1), urgency) })
      #expect(source.waiting.count == number + 2)
    }
    if isRaised { urgencies[1].raise() }
    disk.gate.open()
    for task in tasks { try await task.value }
    #expect(disk.offsets.all == (isRaised ? [0, 3000, 2000, 1000] : [0, 3000, 1000, 2000]))
    await source.close()
  }

  @Test func `a source of the user's is told of a prefetch that a read waits for, once`() {
    let (urgency, told) = (ReadUrgency(), Noted<Int>())
    urgency.onRaise { told.add(1) }
    #expect(told.all == [] && urgency.purpose == .prefetch)
    urgency.raise()
    urgency.raise()
    #expect(told.all == [1] && urgency.purpose == .demand)
    urgency.onRaise { told.add(2) }
    #expect(told.all == [1, 2])
  }

  // MARK: whoever waits

  @Test(.simulated) func `a demand that joins a prefetch raises it`() async throws {
    let source = HeldSource()
    let store = MemoryStore(limit: .mebibytes(1))
    let seen = Noted<ReadUrgency?>()
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4)), .stage(Noting(seen: seen))])
    reader.advise(.willNeed, 0..<4096)
    await quiet()
    #expect(source.waiting.count == 1)
    let urgency = try #require(seen.all.first ?? nil)
    #expect(urgency.purpose == .prefetch)
    let demand = start { try await reader.isRight(0..<10) }
    await quiet()
    #expect(urgency.purpose == .demand)
    source.hold(false)
    #expect(try await demand.value)
    #expect(source.asked.count == 1)
    await reader.close()
  }

  private struct Noting: ReadStage {
    let seen: Noted<ReadUrgency?>

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      seen.add(request.urgency)
      return try await next(request)
    }
  }

  @Test(.simulated) func `a task that waits and becomes more urgent makes what it waits for so`() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return }
    let source = HeldSource()
    let priorities = NotingPriorities()
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4)), .stage(priorities)])
    let read = start(priority: .background) { try await reader.isRight(0..<10) }
    await quiet()
    #expect(source.waiting.count == 1)
    // The flight waits for the source, and its reader for the flight.
    await quiet()
    #expect(read.isCancelled == false && store.flightCount == 1)
    read.escalatePriority(to: .high)
    await quiet()
    #expect(priorities.raised.all.contains { $0 >= .high })
    source.hold(false)
    #expect(try await read.value)
    await reader.close()
  }
}
