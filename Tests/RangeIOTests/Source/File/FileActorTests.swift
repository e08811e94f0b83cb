import Dispatch
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

#if os(Linux)
  /// What resident reads copy on their caller's actor.
  @MainActor struct FileActorTests {
    private let directory: TemporaryDirectory
    /// What is set on the main actor's queue alone.
    private final class Mark: @unchecked Sendable {
      // Unchecked: a key is an address, no more.
      let key = DispatchSpecificKey<Bool>()
    }
    private nonisolated static let mark = Mark()

    init() throws {
      directory = try TemporaryDirectory()
      DispatchQueue.main.setSpecific(key: Self.mark.key, value: true)
    }

    /// Everything is resident, and counted where it was copied.
    private final class Copies: Sendable {
      struct Counts {
        var onMain = 0
        var elsewhere = 0
        var calls = 0
      }
      let counts = Locked(Counts())
      /// Called after each call with the number of calls.
      let onCall: @Sendable (Int) -> Void

      init(onCall: @escaping @Sendable (Int) -> Void = { _ in }) { self.onCall = onCall }

      func note(_ count: Int) -> Int {
        let isMain = DispatchQueue.getSpecific(key: FileActorTests.mark.key) != nil
        let calls = counts.withLock { counts in
          if isMain { counts.onMain += max(0, count) } else { counts.elsewhere += max(0, count) }
          counts.calls += 1
          return counts.calls
        }
        onCall(calls)
        return count
      }

      var syscalls: Syscalls {
        Syscalls(
          .init(
            readResident: { self.note(Syscalls.system.call.read($0, $1, $2)) },
            readScattered: { descriptor, vectors, offset, _ in
              self.note(Syscalls.system.call.readScattered(descriptor, vectors, offset, false))
            }))
      }
    }

    /// Ranges with gaps between them, as long as they are.
    private func ranges(_ count: Int, of length: Int) -> [ByteRange] {
      (0..<count).map { 2 * $0 * length..<(2 * $0 + 1) * length }
    }

    @Test func `many ranges leave the actor as one long one does`() async throws {
      let (path, bytes) = try await directory.file(count: 8 << 20)
      let copies = Copies()
      let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: copies.syscalls))
      let reader = try await RangeReader(source)
      let all = ranges(64, of: 65_536)
      for (range, answer) in zip(all, try await reader.read(all)) { #expect(answer == Bytes(bytes[range])) }
      let counts = copies.counts.withLock { $0 }
      #expect(counts.onMain == 0 && counts.elsewhere == 4 << 20)
      // Few are copied right here.
      _ = try await reader.read(Array(all.prefix(4)))
      #expect(copies.counts.withLock { $0.onMain } == 4 * 65_536)
      await reader.close()
    }

    @Test func `what a cache gets for many ranges leaves the actor too`() async throws {
      let path = try directory.sparseFile(byteCount: 64 << 20)
      try await settle(path)
      for length in [65_536, 4 * 65_536] {
        let copies = Copies()
        let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: copies.syscalls))
        let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(64)))])
        // With gaps between them, so that each is missing by itself.
        let all = (0..<64).map { 2 * $0 * length..<(2 * $0 + 1) * length }
        #expect(try await reader.read(all).allSatisfy { $0.count == length })
        let counts = copies.counts.withLock { $0 }
        #expect(counts.onMain + counts.elsewhere == 64 * length)
        #expect(counts.onMain <= 2 * LaneThreshold.residentInline, "\(counts)")
        await reader.close()
      }
    }

    @Test func `cancelling is seen between ranges, and between the pieces of a long one`() async throws {
      let path = try directory.sparseFile(byteCount: 64 << 20)
      try await settle(path)
      for asked in [ranges(256, of: 65_536), ranges(8, of: 65_536), [0..<64 << 20]] {
        // The task that reads cancels itself while the second call copies.
        let copies = Copies { call in if call == 2 { withUnsafeCurrentTask { $0?.cancel() } } }
        let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: copies.syscalls))
        let description = try await source.describe()
        let reading = Task { try await source.read(asked, of: description) }
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(copies.counts.withLock { $0.calls } == 2)
        copies.counts.withLock { $0 = .init() }
        let grid = try #require(BlockGrid(blockSize: 65_536))
        let scattering = Task { try await source.read(grid.pieces(of: 0..<64 << 20).map(\.range), of: description) }
        await #expect(throws: CancellationError.self) { try await scattering.value }
        #expect(copies.counts.withLock { $0.calls } == 2)
        await source.close()
      }
    }

    @Test func `closing is seen between pieces`() async throws {
      let path = try directory.sparseFile(byteCount: 64 << 20)
      try await settle(path)
      let closing = Locked<Task<Void, Never>?>(nil)
      let open = Locked<FileSource?>(nil)
      let copies = Copies { call in
        guard call == 2, let source = open.withLock({ $0 }) else { return }
        let task = BackgroundWork().start { await source.close() }
        closing.withLock { $0 = task }
      }
      let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: copies.syscalls))
      open.withLock { $0 = source }
      let description = try await source.describe()
      await #expect { try await source.read(0..<64 << 20, of: description) } throws: {
        ($0 as? ReadError)?.code == .closed
      }
      await closing.withLock { $0 }?.value
      open.withLock { $0 = nil }
      #expect(copies.counts.withLock { $0.calls } == 2)
    }
  }
#endif
