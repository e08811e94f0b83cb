import CRangeIOSystem
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Files that say that they are empty.
struct SilentEmptinessTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A source of an empty file whose reads answer as `read` does.
  private func source(
    _ status: @escaping Syscalls.Status = Syscalls.kernelStatus, read: @escaping @Sendable () -> Int
  ) async throws -> FileSource {
    let path = try await directory.file("empty", [])
    let syscalls = Syscalls(
      .init(
        status: status,
        read: { _, buffer, _ in
          let result = read()
          if result > 0 { buffer[0] = 42 }
          return min(result, buffer.count)
        }))
    return FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls))
  }

  @Test func `a file that says it is empty and has bytes is refused, and the message says how to read it`() async throws
  {
    let source = try await source { 100 }
    let error = await #expect(throws: ReadError.self) { try await source.describe() }
    #expect(error?.code == .unsupportedSource && error?.message.contains("cat FILE") == true)
    await source.close()
  }

  @Test func `so is one that cannot be read at an offset`() async throws {
    for errno in [Errno.illegalSeek, .invalidArgument] {
      let source = try await source { -Int(errno.rawValue) }
      let error = await #expect(throws: ReadError.self) { try await source.describe() }
      #expect(error?.code == .unsupportedSource)
      await source.close()
    }
  }

  @Test func `a disk that fails is told as what it is, and an interruption is none`() async throws {
    let calls = Atomic<Int>(0)
    let source = try await source { [-Int(EINTR), -Int(EIO)][calls.wrappingAdd(1, ordering: .relaxed).oldValue % 2] }
    let error = await #expect(throws: ReadError.self) { try await source.describe() }
    #expect(error?.code == .inputOutput)
    await source.close()
  }

  @Test func `a file that is empty is empty`() async throws {
    let path = try await directory.file("empty", [])
    let reader = try await RangeReader(TestEngine.file(path))
    #expect(reader.byteCount == 0)
    #expect(try await reader.read(...).isEmpty)
    await reader.close()
    let adopted = FileSource(adopting: try FileDescriptor.open(path, .readOnly))
    #expect(try await adopted.describe().byteCount == 0)
    await adopted.close()
  }

  @Test func `a file that is filled at that moment is opened with what it has`() async throws {
    let looks = Atomic<Int>(0)
    let source = try await source({ descriptor, status in
      let result = Syscalls.kernelStatus(descriptor, &status)
      if looks.wrappingAdd(1, ordering: .relaxed).oldValue > 0 { status.size = 100 }
      return result
    }) { 100 }
    #expect(try await source.describe().byteCount == 100)
    await source.close()
  }

  @Test func `a file that is emptied and filled again and again is not looked at for ever`() async throws {
    let looks = Atomic<Int64>(0)
    let source = try await source({ descriptor, status in
      let result = Syscalls.kernelStatus(descriptor, &status)
      status.modified.seconds = looks.wrappingAdd(1, ordering: .relaxed).newValue
      return result
    }) { 100 }
    await #expect(throws: ReadError.self) { try await source.describe() }
    #expect(looks.load(ordering: .relaxed) < 20)
    await source.close()
  }
}
