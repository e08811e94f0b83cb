import Testing

@testable import RangeIO

/// Who is on the main actor.
struct MainQueueTests {
  @Test @MainActor func `the main actor is known, also by work that begins on it at once`() async throws {
    #expect(MainQueue.isCurrent)
    let answer = Promise<Bool>()
    BackgroundWork().start { answer.resolve(.success(MainQueue.isCurrent)) }
    #expect(answer.isAnswered, "it has not suspended")
    #expect(try await answer.value())
    #expect(await !elsewhere())
    #expect(MainQueue.isCurrent)
  }

  @concurrent private func elsewhere() async -> Bool { MainQueue.isCurrent }

  @Test func `what takes long leaves the main actor, however it began`() async throws {
    #expect(try await !BackgroundWork.offActor { MainQueue.isCurrent })
    let answer = Promise<Bool>()
    _ = await Task { @MainActor in
      BackgroundWork().start {
        do {
          answer.resolve(.success(try await BackgroundWork.offActor { MainQueue.isCurrent }))
        } catch {
          answer.fail(error)
        }
      }
    }.value
    #expect(try await !answer.value())
  }
}
