import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What is made on first use, beside what ends it.
struct FileLanesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func context(_ path: String, _ syscalls: Syscalls) throws -> LaneContext {
    LaneContext(
      file: try FileOpening.open(FilePath(path), syscalls).file, pool: .shared, threads: .shared,
      work: ThreadedWork(gate: ShutdownGate(), waiting: WaiterRegistry()))
  }

  @Test func `a channel that is made after the lanes were stopped is stopped as well`() async throws {
    let path = try await directory.file(count: 10_000).path
    let descriptors = CountedDescriptors()
    let context = try context(path, descriptors.syscalls())
    let lane = DispatchIOLane(context)
    try #require(context.work.gate.enter(), "a read begins")
    #expect(context.work.gate.close())
    lane.stop()
    let error = await #expect(throws: ReadError.self) { _ = try await lane.channel() }
    try #require(error?.code == .closed)
    context.work.gate.leave()
    try await lane.close()
    try await context.file.closed()
    #expect(descriptors.open == 0 && descriptors.wrongCloses == 0)
  }

  @Test func `closing that begins while the first read opens its channel ends both`() async throws {
    let path = try await directory.file(count: 10_000).path
    let descriptors = CountedDescriptors()
    let counted = descriptors.syscalls().call
    let source = Locked<FileSource?>(nil)
    let closing = Locked<Task<Void, Never>?>(nil)
    let syscalls = Syscalls(
      .init(
        open: counted.open,
        reopen: { descriptor in
          // Begins here, and waits for the read.
          if let source = source.withLock({ $0 }) {
            let task = BackgroundWork().start { await source.close() }
            closing.withLock { $0 = task }
          }
          return counted.reopen(descriptor)
        }, close: counted.close))
    let reading = FileSource(path, configuration: TestEngine.configuration(.dispatchIO, syscalls: syscalls))
    source.withLock { $0 = reading }
    let description = try await reading.describe()
    await #expect { _ = try await reading.read(0..<100, of: description) } throws: {
      ($0 as? ReadError)?.code == .closed
    }
    await closing.withLock { $0 }?.value
    source.withLock { $0 = nil }
    #expect(descriptors.open == 0 && descriptors.wrongCloses == 0)
  }

  @Test func `two reads that open the channel at once have one, and the other is closed`() async throws {
    let path = try await directory.file(count: 10_000).path
    let descriptors = CountedDescriptors()
    let opening = Locked<DispatchIOLane?>(nil)
    let others = Locked<[DispatchIOChannel]>([])
    let counted = descriptors.syscalls().call
    let openings = Locked(0)
    let syscalls = Syscalls(
      .init(
        open: counted.open,
        reopen: { descriptor in
          let isFirst = openings.withLock { count in
            count += 1
            return count == 1
          }
          // Another read comes between, and is done first.
          if isFirst, let lane = opening.withLock({ $0 }) {
            BackgroundWork().start {
              do {
                let channel = try await lane.channel()
                others.withLock { $0.append(channel) }
              } catch {
                Issue.record(error)
              }
            }
          }
          return counted.reopen(descriptor)
        }, close: counted.close))
    let context = try context(path, syscalls)
    let lane = DispatchIOLane(context)
    opening.withLock { $0 = lane }
    let channel = try await lane.channel()
    #expect(others.withLock { $0.allSatisfy { $0 === channel } })
    #expect(try await lane.channel() === channel)
    #expect(descriptors.open == 2)
    lane.stop()
    try await lane.close()
    try await context.file.closed()
    opening.withLock { $0 = nil }
    #expect(descriptors.open == 0 && descriptors.wrongCloses == 0)
  }

  @Test(arguments: [FileSource.Engine.positional, .dispatchIO], [false, true])
  func `a stream asks for one window ahead where the system reads ahead itself`(
    engine: FileSource.Engine, isRemote: Bool
  ) async throws {
    let path = try await directory.file(count: 10_000).path
    let syscalls = Syscalls(.init(isRemote: { _ in isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(engine, syscalls: syscalls))
    _ = try await source.describe()
    #expect(source.windowsAhead == (engine == .positional && !isRemote ? 1 : 4))
    await source.close()
  }
}
