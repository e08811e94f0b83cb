import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A reader made and used from each kind of place, with both initialisers. That it compiles is half of the test.
@Suite struct IsolationTests {
  private struct Adding: ReadStage {
    let summand: UInt8
    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      try await next(request).map(request) { _, bytes in Bytes(bytes.map { $0 &+ summand }) }
    }
  }

  @MainActor private final class Screen {
    var key: UInt8? = 1
    var reader: RangeReader?

    func open() async throws {
      reader = try await RangeReader(
        ContentSource(Array(0..<50)),
        [.observing(), key.map { .stage(Adding(summand: $0)) } ?? []])
    }

    func show() async throws -> [UInt8] {
      MainActor.assertIsolated()
      let bytes = try await reader?.read(0..<3)
      MainActor.assertIsolated()
      return bytes.map(Array.init) ?? []
    }
  }

  private actor Worker {
    var keys: [UInt8] = [1, 2]

    func work() async throws -> [UInt8] {
      let own = try await RangeReader(
        ContentSource(Array(0..<50)), keys.reduce([]) { [$0, .stage(Adding(summand: $1))] })
      let other = try await RangeReader(ContentSource(Array(0..<50)), [.observing(), .stage(Adding(summand: 3))])
      let buffer = Array(try await other.read(0..<3))
      let bytes = try await own.read(0..<3)
      preconditionIsolated()
      #expect(Array(bytes) == buffer)
      var streamed: [UInt8] = []
      for try await piece in own.stream(0..<3, chunkSize: .bytes(1)) {
        preconditionIsolated()
        streamed += piece
      }
      await own.close()
      await other.close()
      return streamed
    }
  }

  @MainActor @Test func `from the main actor, with stages that read isolated state`() async throws {
    let screen = Screen()
    try await screen.open()
    #expect(try await screen.show() == [1, 2, 3])
    screen.key = nil
    try await screen.open()
    #expect(try await screen.show() == [0, 1, 2])
  }

  @MainActor @Test func `from the main actor, with stages listed in the call`() async throws {
    let summand: UInt8 = 5
    let reader = try await RangeReader(ContentSource(Array(0..<50)), [.stage(Adding(summand: summand))])
    #expect(Array(try await reader.read(0..<2)) == [5, 6])
    var lines = 0
    for try await _ in reader.stream().lines {
      MainActor.assertIsolated()
      lines += 1
    }
    #expect(lines == 2, "the 10 among 5...54 is a line feed")
    await reader.close()
  }

  @Test func `from an actor, with stages that read its state and others`() async throws {
    #expect(try await Worker().work() == [3, 4, 5])
  }

  @Test func `from plain code, with both initialisers`() async throws {
    let other = try await RangeReader(ContentSource(Array(0..<50)), [.stage(Adding(summand: 1))])
    #expect(Array(try await other.read(0..<2)) == [1, 2])
    let own = try await RangeReader(ContentSource(Array(0..<50)), [.stage(Adding(summand: 2))])
    #expect(Array(try await own.read(0..<2)) == [2, 3])
    let plain = try await RangeReader(ContentSource(Array(0..<50)))
    #expect(Array(try await plain.read(48...)) == [48, 49])
    #expect(Array(try await plain.read(..<2)) == [0, 1])
    #expect(Array(try await plain.read(suffix: 1)) == [49])
    #expect(Array(try await plain.read(offset: 7, count: 1)) == [7])
  }

  @concurrent private func elsewhere(_ reader: RangeReader) async throws -> Bytes { try await reader.read(4..<5) }

  @Test func `one reader from many tasks at once`() async throws {
    let reader = try await RangeReader(ContentSource(Array(0..<50), isPrompt: false), [.stage(Adding(summand: 1))])
    try await withThrowingTaskGroup(of: Bytes.self) { group in
      for _ in 0..<50 { group.addTask { try await elsewhere(reader) } }
      for try await bytes in group { #expect(bytes == [5]) }
    }
    #expect(reader.statistics().reads == 50)
  }
}
