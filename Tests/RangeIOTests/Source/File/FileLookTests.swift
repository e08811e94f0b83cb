import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Looks at files that are another at each look, that say what is not so, or that nobody watches: all of them end.
struct FileLookTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Looks that were made, and what is wrong with them.
  private final class Looks: Sendable {
    let count = Atomic<Int>(0)
    let areWrong = Atomic<Bool>(false)

    /// The kernel's look, with what `change` makes of it by the number of the look.
    func status(_ change: @escaping @Sendable (inout FileStatus, Int) -> Void) -> Syscalls.Status {
      { descriptor, status in
        let result = Syscalls.kernelStatus(descriptor, &status)
        let number = self.count.wrappingAdd(1, ordering: .relaxed).newValue
        if self.areWrong.load(ordering: .relaxed) { change(&status, number) }
        return result
      }
    }

    /// The looks that `body` makes while they are wrong.
    func wrong(_ body: () async throws -> Void) async rethrows -> Int {
      let before = count.load(ordering: .relaxed)
      areWrong.store(true, ordering: .relaxed)
      try await body()
      return count.load(ordering: .relaxed) - before
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a recording that says it is longer than it is ends its readers' looks, and they may try again`() async throws {
    let (path, bytes) = try await directory.file(count: 5000)
    let looks = Looks()
    var configuration = TestEngine.configuration(
      .positional, syscalls: Syscalls(.init(status: looks.status { status, _ in status.size = 65_536 })))
    configuration.isAppendOnly = true
    let source = FileSource(path, configuration: configuration)
    let made = await looks.wrong {
      await #expect {
        _ = try await source.describe()
      } throws: {
        let error = $0 as? ReadError
        return error?.code == .inputOutput && error?.isTransient == true
      }
    }
    #expect(made <= 12, "\(made) looks")
    looks.areWrong.store(false, ordering: .relaxed)
    let other = FileSource(path, configuration: configuration)
    #expect(try await other.read(0..<10, of: try await other.describe()) == Bytes(bytes[0..<10]))
    await source.close()
    await other.close()
  }

  @Test func `nothing is compared for a source that is closed`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let opened = try FileOpening.open(FilePath(path), .system)
    let recording = AppendOnlyFile.of(opened.status)
    let marker = RecordingMarker(file: opened.file, waits: true)
    do throws(RecordingMarker.Lack) {
      _ = try recording.compare(marker, isClosed: { true })
      Issue.record("it was compared")
    } catch {
      guard case .failed(let error) = error else { throw error }
      #expect(error.code == .closed)
    }
    #expect(try recording.compare(marker)?.size == 5000)
  }

  @Test(.timeLimit(.minutes(15)))
  func `under a writer that is quicker than two looks a read ends, and the file is another`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let looks = Looks()
    let source = FileSource(
      path,
      configuration: TestEngine.configuration(
        syscalls: Syscalls(.init(status: looks.status { $0.modified = FileTime(seconds: Int64($1), nanoseconds: 1) }))))
    let description = try await source.describe()
    let made = await looks.wrong {
      let error = await #expect(throws: ReadError.self) { _ = try await source.read(0..<10, of: description) }
      #expect(error?.code == .sourceChanged)
    }
    #expect(made <= 12, "\(made) looks")
    // Nor does telling what it is now.
    let madeAgain = try await looks.wrong {
      let now = try await source.describe()
      #expect(now !== description)
    }
    #expect(madeAgain <= 12, "\(madeAgain) looks")
    await source.close()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a file that has another name at each look ends a read, too`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let names = Atomic<Int>(0)
    let looks = Looks()
    let source = FileSource(
      path,
      configuration: TestEngine.configuration(
        syscalls: Syscalls(
          .init(
            status: looks.status { status, _ in status.changed = FileTime(seconds: 7, nanoseconds: 7) },
            name: { _ in "/\(names.wrappingAdd(1, ordering: .relaxed).newValue)" }))))
    let description = try await source.describe()
    let made = await looks.wrong {
      let error = await #expect(throws: ReadError.self) { _ = try await source.read(0..<10, of: description) }
      #expect(error?.code == .sourceChanged)
    }
    #expect(made <= 12, "\(made) looks")
    await source.close()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a look that shows another file ends a description`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let looks = Looks()
    let source = FileSource(
      path,
      configuration: TestEngine.configuration(
        syscalls: Syscalls(.init(status: looks.status { status, _ in status.inode &+= 1 }))))
    _ = try await source.describe()
    let made = await looks.wrong {
      let error = await #expect(throws: ReadError.self) { _ = try await source.describe() }
      #expect(error?.code == .sourceChanged)
    }
    #expect(made <= 12, "\(made) looks")
    await source.close()
  }

  #if os(Linux)
    @Test func `a source that gets no watch says so when it is asked to wait, until it gets one`() async throws {
      let path = try await directory.file("file", [1, 2, 3])
      let hasWatches = Atomic<Bool>(false)
      let watches = Atomic<Int>(0)
      var configuration = TestEngine.configuration()
      configuration.watch = { descriptor, handler in
        watches.add(1, ordering: .relaxed)
        return hasWatches.load(ordering: .relaxed) ? FileWatch.begin(descriptor, handler) : nil
      }
      let source = FileSource(path, configuration: configuration)
      let first = try await source.describe()
      #expect(first.reportsChanges)
      let error = await #expect(throws: ReadError.self) { try await source.waitForChange(after: first) }
      #expect(error?.code == .resourcesExhausted && watches.load(ordering: .relaxed) == 1)
      // It has changed, so that the wait ends at once.
      try write([1, 2, 3, 4], to: path)
      try await source.waitForChange(after: first)
      let new = try await directory.file("new", [5, 6])
      try #require(rename(new, path) == 0)
      let second = try await source.renew()
      #expect(try await source.read(0..<2, of: second) == [5, 6])
      await #expect(throws: ReadError.self) { try await source.waitForChange(after: second) }
      hasWatches.store(true, ordering: .relaxed)
      try write([7, 8, 9], to: path)
      try await source.waitForChange(after: second)
      #expect(watches.load(ordering: .relaxed) == 4)
      await source.close()
    }
  #endif
}
