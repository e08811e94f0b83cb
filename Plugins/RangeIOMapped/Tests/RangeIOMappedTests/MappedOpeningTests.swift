import CRangeIOMapped
import RangeIO
import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIOMapped

struct MappedOpeningTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func code(opening path: String, _ configuration: MappedSource.Configuration = .init()) async
    -> ReadError.Code?
  {
    do {
      let reader = try await RangeReader(MappedSource(path, configuration: configuration))
      await reader.close()
      return nil
    } catch {
      return (error as? ReadError)?.code
    }
  }

  @Test func `an empty file is served as empty, and one that has grown is another version`() async throws {
    let path = directory.path("empty")
    try write(Bytes(), to: path)
    let reader = try await mappedReader(path)
    #expect(reader.byteCount == 0)
    #expect(try await reader.read(0..<0).isEmpty)
    #expect(try await reader.read(0...).isEmpty)
    await expectError(.rangeNotSatisfiable) { _ = try await reader.read(0..<1) }
    try write([1, 2, 3], to: path)
    await expectError(.sourceChanged) { _ = try await reader.read(0...) }
    await reader.close()
    let anew = try await mappedReader(path)
    #expect(try await anew.read(0...) == [1, 2, 3])
    await anew.close()
  }

  @Test func `what is no regular file is refused with a reason`() async throws {
    #expect(await code(opening: directory.path) == .unsupportedSource)
    let fifo = directory.path("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    #expect(await code(opening: fifo) == .unsupportedSource)
    #expect(await code(opening: "/dev/null") == .unsupportedSource)
    #if os(Linux)
      #expect(await code(opening: "/proc/self/status") == .unsupportedSource)
    #endif
  }

  @Test func `what is not there is not found`() async throws {
    #expect(await code(opening: directory.path("missing")) == .notFound)
    #expect(await code(opening: "") == .notFound)
    #expect(await code(opening: "a\0b") == .notFound)
    let (file, _) = try directory.file(count: 1)
    #expect(await code(opening: file + "/below") == .notFound)
    #expect(await code(opening: file + "\0more") == .notFound)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file without permission is refused`() async throws {
    let (path, _) = try directory.file(count: 10)
    try #require(chmod(path, 0) == 0)
    #expect(await code(opening: path) == .permissionDenied)
  }

  @Test func `a block size that is no power of two is refused`() async throws {
    let (path, _) = try directory.file(count: 10)
    #expect(await code(opening: path, .init(blockSize: .bytes(1000))) == .invalidConfiguration)
    #expect(await code(opening: path, .init(blockSize: .bytes(4096))) == nil)
  }

  @Test func `a name that is not UTF-8 can be opened by its path`() async throws {
    let (plain, bytes) = try directory.file(count: 10)
    let path = FilePath(directory.path).withPlatformString { directory in
      var name = [CChar](UnsafeBufferPointer(start: directory, count: strlen(directory)))
      name += [CChar(bitPattern: 0x2F), CChar(bitPattern: 0x61), CChar(bitPattern: 0xFF), 0]
      return name.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
    }
    let renamed = path.withPlatformString { rename(plain, $0) }
    #if os(Linux)
      try #require(renamed == 0)
      let reader = try await RangeReader(MappedSource(path))
      #expect(try await reader.read(0..<10) == bytes)
      await reader.close()
    #endif
  }

  @Test func `a file system that cannot map is named as the reason`() async throws {
    let (path, _) = try directory.file(count: 10)
    var configuration = MappedSource.Configuration()
    configuration.calls.map = { _, _, error in
      error = ENODEV
      return nil
    }
    let reader = try await mappedReader(path, configuration)
    await expectError(.unsupportedSource) { _ = try await reader.read(0..<10) }
    await reader.close()
    // Copies need no mapping.
    configuration.slices = .copied
    let copying = try await mappedReader(path, configuration)
    #expect(try await copying.read(0..<10).count == 10)
    await copying.close()
  }

  @Test func `no room in the address space is an error that may pass`() async throws {
    let (path, _) = try directory.file(count: 10)
    var configuration = MappedSource.Configuration()
    configuration.calls.map = { _, _, error in
      error = ENOMEM
      return nil
    }
    let reader = try await mappedReader(path, configuration)
    await #expect { _ = try await reader.read(0..<10) } throws: {
      let error = $0 as? ReadError
      return error?.code == .resourcesExhausted && error?.isTransient == true
    }
    await reader.close()
  }

  @Test func `a source that was not described reads nothing`() async throws {
    let (path, _) = try directory.file(count: 10)
    let described = try await MappedSource(path).describe()
    await expectError(.invalidConfiguration) { _ = try await MappedSource(path).read(0..<1, of: described) }
    let source = MappedSource(path)
    let foreign = SourceDescription(id: "x", validator: nil, byteCount: 10)
    _ = try await source.describe()
    await expectError(.invalidConfiguration) { _ = try await source.read(0..<1, of: foreign) }
    await source.close()
  }
}
