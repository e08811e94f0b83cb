import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What another source does with the descriptor of a file.
struct FileWorkTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private struct Failure: Error {}

  /// The first byte of the file, and whether a task's thread read it.
  private static let firstByte: @Sendable (FileDescriptor) throws -> (byte: UInt8, isTask: Bool) = { descriptor in
    let isTask = withUnsafeCurrentTask { $0 != nil }
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { try descriptor.read(fromAbsoluteOffset: 0, into: $0) }
    return (count == 1 ? byte : 0, isTask)
  }

  @Test(arguments: [false, true], [false, true])
  func `work that may wait has a thread of its own, and so has all work with a file on a server`(
    waits: Bool, isRemote: Bool
  ) async throws {
    let (path, bytes) = try await directory.file(count: 1000)
    let syscalls = Syscalls(.init(isRemote: { _ in isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls))
    let description = try await source.describe()
    let found = try await source.withDescriptor(of: description, for: 0..<1, mayBlock: waits, Self.firstByte)
    #expect(found.byte == bytes[0])
    #expect(found.isTask == (!waits && !isRemote))
    await source.close()
  }

  @Test(arguments: [false, true])
  func `the error number that work throws is told as that of a read`(isRemote: Bool) async throws {
    let path = try await directory.file(count: 1000).path
    let syscalls = Syscalls(.init(isRemote: { _ in isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls))
    let description = try await source.describe()
    let error = await #expect(throws: ReadError.self) {
      try await source.withDescriptor(of: description, for: 3..<9) { _ in throw Errno.ioError }
    }
    #expect(error?.code == .inputOutput && error?.cause as? Errno == .ioError && error?.range == 3..<9)
    #expect(error?.isTransient == isRemote)
    await source.close()
  }

  @Test func `work that takes long keeps no other read of a file waiting`() async throws {
    let (path, bytes) = try await directory.file(count: 1000)
    let source = FileSource(path, configuration: .init(engine: .positional))
    let description = try await source.describe()
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // More than there are threads for reads.
      for _ in 0..<100 {
        group.addTask { try await source.withDescriptor(of: description, for: 0..<1) { _ in gate.pass() } }
      }
      // By the last of these all the work has come.
      for _ in 0..<2000 {
        let read = try await source.read(10..<20, of: description)
        #expect(read.elementsEqual(bytes[10..<20]))
        await Task.yield()
      }
      gate.open()
      try await group.waitForAll()
    }
    await source.close()
  }

  @Test(arguments: [false, true])
  func `a change of the file explains more than what the work threw`(waits: Bool) async throws {
    let (path, _) = try await directory.file(count: 1000)
    let source = FileSource(path, configuration: TestEngine.configuration())
    let description = try await source.describe()
    await #expect(throws: Failure.self) {
      try await source.withDescriptor(of: description, for: 0..<1, mayBlock: waits) { _ in throw Failure() }
    }
    for fails in [false, true] {
      let error = await #expect(throws: ReadError.self) {
        try await source.withDescriptor(of: description, for: 3..<9, mayBlock: waits) { _ in
          try write([1, 2, 3], to: path)
          if fails { throw Failure() }
        }
      }
      #expect(error?.code == .sourceChanged && error?.range == 3..<9)
    }
    await source.close()
  }

  @Test func `descriptions of other sources, of files before and of closed sources are refused`() async throws {
    let (path, _) = try await directory.file(count: 1000)
    let (other, _) = try await directory.file("other", count: 2000)
    let source = FileSource(path, configuration: TestEngine.configuration())
    func code(_ description: SourceDescription) async -> ReadError.Code? {
      do {
        _ = try await source.withDescriptor(of: description, for: 0..<1, Self.firstByte)
        return nil
      } catch {
        return (error as? ReadError)?.code
      }
    }
    let foreign = SourceDescription(id: "x", validator: nil, byteCount: 10)
    #expect(await code(foreign) == .invalidConfiguration, "nothing is open")
    let first = try await source.describe()
    #expect(await code(foreign) == .invalidConfiguration)
    #expect(await code(first) == nil)
    try #require(rename(other, path) == 0)
    let second = try await source.renew()
    #expect(await code(first) == .sourceChanged)
    #expect(await code(second) == nil)
    await source.close()
    #expect(await code(second) == .closed)
    // It is not the reader that is to be made anew.
    let error = await #expect(throws: ReadError.self) { try await RangeReader(source) }
    #expect(error?.message.hasPrefix("the source is closed: make a new one for each reader") == true)
  }

  @Test func `a task that waits for work leaves at once when it is cancelled`() async throws {
    let (path, _) = try await directory.file(count: 1000)
    let source = FileSource(path, configuration: TestEngine.configuration())
    let description = try await source.describe()
    let gate = Gate()
    let reading = Task {
      try await source.withDescriptor(of: description, for: 0..<1) { _ in gate.pass() }
    }
    await gate.arrival()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    gate.open()
    await source.close()
  }
}
