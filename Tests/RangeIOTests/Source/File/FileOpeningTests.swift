import Foundation
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct FileOpeningTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func code(opening path: String) async -> ReadError.Code? {
    do {
      let reader = try await RangeReader(TestEngine.file(path))
      await reader.close()
      return nil
    } catch {
      return (error as? ReadError)?.code
    }
  }

  @Test func `what is not there is not found`() async throws {
    #expect(await code(opening: directory.path("missing")) == .notFound)
    #expect(await code(opening: directory.path("missing/file")) == .notFound)
    #expect(await code(opening: "") == .notFound)
    #expect(await code(opening: "a\0b") == .notFound)
    #expect(await code(opening: directory.path + "/" + String(repeating: "x", count: 5000)) == .notFound)
    let (file, _) = try await directory.file("plain", count: 1)
    #expect(await code(opening: file + "/below") == .notFound)
  }

  @Test(arguments: ["https://example.org/x", "S3://bucket/key"])
  func `a URL in place of a path is told what reads it`(name: String) async {
    let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(name) }
    #expect(error?.code == .notFound && error?.message.contains("RangeReader(contentsOf:)") == true)
    #expect(error?.cause as? Errno == .noSuchFileOrDirectory)
    let blob = await #expect(throws: ReadError.self) { _ = try await RangeReader("az://account/container/blob") }
    #expect(blob?.message.contains("RangeReader(azure:)") == true)
  }

  @Test func `what has no random access is refused with a reason`() async throws {
    #expect(await code(opening: directory.path) == .unsupportedSource)
    let fifo = directory.path("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    #expect(await code(opening: fifo) == .unsupportedSource)
    #expect(await code(opening: "/dev/null") == .unsupportedSource)
    #if os(Linux)
      #expect(await code(opening: "/proc/self/status") == .unsupportedSource)
      #expect(await code(opening: "/sys/kernel/mm/transparent_hugepage/enabled") == .unsupportedSource)
    #endif
  }

  @Test func `a socket is refused with a reason`() async throws {
    let path = directory.path("socket")
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(socket >= 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    #expect(await code(opening: path) == .unsupportedSource)
  }

  @Test func `a file without permission is refused`() async throws {
    let (path, _) = try await directory.file(count: 10)
    let denied = Syscalls(.init(open: { _ in -Int(EACCES) }))
    await #expect {
      _ = try await RangeReader(FileSource(path, configuration: TestEngine.configuration(syscalls: denied)))
    } throws: { ($0 as? ReadError)?.code == .permissionDenied }
  }

  @Test func `too many open files is an error that may pass`() async throws {
    let full = Syscalls(.init(open: { _ in -Int(EMFILE) }))
    await #expect {
      _ = try await RangeReader(FileSource("x", configuration: TestEngine.configuration(syscalls: full)))
    } throws: {
      let error = $0 as? ReadError
      return error?.code == .resourcesExhausted && error?.isTransient == true
    }
  }

  @Test func `a file that loses its name while it is opened is opened anew`() async throws {
    let (path, old) = try await directory.file(count: 100, seed: 1)
    let (next, new) = try await directory.file("next", count: 200, seed: 2)
    let openings = Locked(0)
    let racing = Syscalls(
      .init(open: { path in
        let result = Syscalls.system.call.open(path)
        if openings.withLock({ count in
          count += 1
          return count == 1
        }) {
          _ = rename(next, path.string)
        }
        return result
      }))
    let reader = try await RangeReader(FileSource(path, configuration: TestEngine.configuration(syscalls: racing)))
    #expect(old.count == 100 && reader.byteCount == 200)
    #expect(try await reader.read(0...) == Bytes(new))
    #expect(openings.withLock { $0 } == 2)
    await reader.close()
  }

  @Test func `a file that loses its name between its opening and the first look is read on`() async throws {
    let (path, old) = try await directory.file(count: 100, seed: 1)
    let (next, new) = try await directory.file("next", count: 200, seed: 2)
    let looks = Locked(0)
    let racing = Syscalls(
      .init(status: { descriptor, status in
        let result = Syscalls.kernelStatus(descriptor, &status)
        if looks.withLock({ count in
          count += 1
          return count == 1
        }) {
          _ = rename(next, path)
        }
        return result
      }))
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: racing))
    let reader = try await RangeReader(source, configuration: .init(onChange: .fail))
    #expect(try await reader.read(0..<100) == Bytes(old))
    #expect(try await source.renew().byteCount == new.count)
    await reader.close()
  }

  @Test func `a file that loses its name while that is looked for is found to have lost it`() async throws {
    let (path, _) = try await directory.file(count: 100, seed: 1)
    let (next, new) = try await directory.file("next", count: 200, seed: 2)
    let isRacing = Locked(false)
    let racing = Syscalls(
      .init(status: { descriptor, status in
        let result = Syscalls.kernelStatus(descriptor, &status)
        if isRacing.withLock({ isRacing in
          defer { isRacing = false }
          return isRacing
        }) {
          _ = rename(next, path)
        }
        return result
      }))
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: racing))
    let first = try await source.describe()
    isRacing.withLock { $0 = true }
    // It may be the same file still when its name is looked at, and another a moment later: of that the watch tells.
    let second = try await source.renew()
    if second === first { try await source.waitForChange(after: second) }
    let third = try await source.renew()
    #expect(third.byteCount == 200)
    #expect(try await source.read(0..<200, of: third) == Bytes(new))
    await source.close()
  }

  #if os(Linux)
    @Test func `a file without a name, of which the path speaks by its descriptor, is read all the same`() async throws
    {
      let (path, bytes) = try await directory.file(count: 100)
      let descriptor = try FileDescriptor.open(path, .readOnly)
      defer { try? descriptor.close() }
      try #require(unlink(path) == 0)
      let reader = try await RangeReader(TestEngine.file("/proc/self/fd/\(descriptor.rawValue)"))
      #expect(try await reader.read(0..<100) == Bytes(bytes))
      await reader.close()
    }
  #endif

  @Test func `symbolic links are followed, loops are not`() async throws {
    let (path, bytes) = try await directory.file(count: 100)
    let link = directory.path("link")
    try #require(symlink(path, link) == 0)
    let reader = try await RangeReader(TestEngine.file(link))
    #expect(try await reader.read(0..<100) == Bytes(bytes))
    await reader.close()
    let loop = directory.path("loop")
    try #require(symlink(loop, loop) == 0)
    #expect(await code(opening: loop) == .notFound)
  }

  @Test func `hard links are one source`() async throws {
    let (path, _) = try await directory.file(count: 100)
    try #require(systemLink(path, directory.path("hard")) == 0)
    let one = try await RangeReader(TestEngine.file(path))
    let other = try await RangeReader(TestEngine.file(directory.path("hard")))
    #expect(one.source.id == other.source.id)
    await one.close()
    await other.close()
  }

  @Test func `a tilde is the home directory, and a dot keeps it a name`() throws {
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    #expect(try FilePathExpansion.expand("~/x") == home + "/x")
    #expect(try FilePathExpansion.expand("~") == home)
    #expect(try FilePathExpansion.expand("~root/x").hasSuffix("/x"))
    #expect(try !FilePathExpansion.expand("~root/x").hasPrefix("~"))
    #expect(try FilePathExpansion.expand("./~") == "./~")
    #expect(try FilePathExpansion.expand("a~b") == "a~b")
    #expect(throws: ReadError.self) { try FilePathExpansion.expand("~nobody-of-this-name/x") }
  }

  @Test func `a name that is not UTF-8 can be opened by its path`() async throws {
    let (plain, bytes) = try await directory.file(count: 10)
    let path = FilePath(directory.path).withPlatformString { directory in
      var name = [CChar](UnsafeBufferPointer(start: directory, count: strlen(directory)))
      name += [CChar(bitPattern: 0x2F), CChar(bitPattern: 0x61), CChar(bitPattern: 0xFF), 0]
      return name.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
    }
    let renamed = path.withPlatformString { rename(plain, $0) }
    #if os(Linux)
      try #require(renamed == 0)
      let reader = try await RangeReader(TestEngine.file(path))
      #expect(try await reader.read(0..<10) == Bytes(bytes))
      await reader.close()
    #endif
  }

  @Test func `opening that hangs can be cancelled, and leaves nothing`() async throws {
    let (path, _) = try await directory.file(count: 10)
    let gate = Gate()
    let descriptors = CountedDescriptors()
    let slow = descriptors.syscalls(opening: { gate.pass() })
    let opening = Task {
      try await RangeReader(FileSource(path, configuration: TestEngine.configuration(syscalls: slow)))
    }
    await gate.arrival()
    opening.cancel()
    await #expect(throws: CancellationError.self) { try await opening.value }
    gate.open()
    // The thread opens the file all the same, and closes it.
    await descriptors.closed(1)
    #expect(descriptors.open == 0)
  }
}
