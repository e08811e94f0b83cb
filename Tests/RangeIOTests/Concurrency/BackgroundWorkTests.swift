import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BackgroundWorkTests {
  @TaskLocal private static var mark = 0

  @Test func `what is ready without waiting is done before start returns, where the platform can`() async {
    let notes = Noted<Int>()
    let task = BackgroundWork().start { notes.add(1) }
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) { #expect(notes.all == [1]) }
    await task.value
    #expect(notes.all == [1])
  }

  @Test func `work outlives the one who started it, even if he is cancelled`() async throws {
    let (gate, done) = (Promise<Void>(), Promise<Bool>())
    let starter = Task {
      _ = BackgroundWork().start {
        try? await gate.value()
        done.resolve(.success(Task.isCancelled))
      }
    }
    starter.cancel()
    await starter.value
    gate.resolve(.success(()))
    #expect(try await !done.value())
  }

  @Test func `task-local values are inherited`() async throws {
    let seen = Promise<Int>()
    Self.$mark.withValue(5) {
      _ = BackgroundWork().start {
        await Task.yield()
        seen.resolve(.success(Self.mark))
      }
    }
    #expect(try await seen.value() == 5)
  }

  @Test func `the returned task cancels the work`() async throws {
    let answer = Promise<Int>()
    let failed = Promise<Bool>()
    let task = BackgroundWork().start {
      do {
        _ = try await answer.value()
        failed.resolve(.success(false))
      } catch {
        failed.resolve(.success(error is CancellationError))
      }
    }
    task.cancel()
    #expect(try await failed.value())
  }
}
