import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A stage that several readers list, one after the other and at once.
@Suite(.timeLimit(.minutes(5))) struct StageUsesTests {
  private final class Slow: ReadStage {
    let events = Noted<String>()
    let isClosing = Promise<Void>()
    let mayClose = Promise<Void>()
    private let isFirst = Locked(true)

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      events.add("read")
      return try await next(request)
    }

    func close() async {
      events.add("closes")
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isFirst {
        isClosing.resolve(.success(()))
        try? await mayClose.value()
      }
      events.add("closed")
    }
  }

  private func reader(_ stage: Slow) async throws -> RangeReader {
    try await RangeReader(SyntheticSource(byteCount: 1000), [.stage(stage)])
  }

  @Test func `a stage that is being closed is not read through until it is`() async throws {
    let stage = Slow()
    let first = try await reader(stage)
    let closing = Task { await first.close() }
    try await stage.isClosing.value()
    let second = Promise<RangeReader>()
    BackgroundWork().start {
      do {
        let reader = try await self.reader(stage)
        _ = try await reader.read(0..<10)
        second.resolve(.success(reader))
      } catch { second.fail(error) }
    }
    #expect(stage.events.all == ["closes"])
    stage.mayClose.resolve(.success(()))
    await closing.value
    let reader = try await second.value()
    #expect(stage.events.all == ["closes", "closed", "read"])
    await reader.close()
    #expect(stage.events.all == ["closes", "closed", "read", "closes", "closed"])
  }

  @Test func `waiting to open can be cancelled`() async throws {
    let stage = Slow()
    let first = try await reader(stage)
    let closing = Task { await first.close() }
    try await stage.isClosing.value()
    let second = Task { try await self.reader(stage) }
    second.cancel()
    await #expect(throws: CancellationError.self) { _ = try await second.value }
    stage.mayClose.resolve(.success(()))
    await closing.value
    let third = try await reader(stage)
    await third.close()
    #expect(stage.events.all == ["closes", "closed", "closes", "closed"])
  }

  @Test func `the last of several closes it`() async throws {
    let stage = Slow()
    stage.mayClose.resolve(.success(()))
    let (first, second) = (try await reader(stage), try await reader(stage))
    await first.close()
    #expect(stage.events.all == [])
    _ = try await second.read(0..<10)
    await second.close()
    #expect(stage.events.all == ["read", "closes", "closed"])
  }
}
