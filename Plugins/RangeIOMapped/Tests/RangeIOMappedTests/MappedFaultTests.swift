import RangeIO
import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIOMapped

/// Reads of pages that cannot be brought in.
struct MappedFaultTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  #if os(Linux)
    @Test func `the kernel says that pages beyond the end cannot be had`() async throws {
      let (path, _) = try directory.file(count: 8 * pageSize)
      let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
      let mapping = try Mapping(descriptor, try await MappedSource(path).describe(), .init())
      try mapping.faultIn(0..<8 * pageSize, descriptor)
      try #require(truncate(path, off_t(2 * pageSize)) == 0)
      try mapping.faultIn(0..<2 * pageSize, descriptor)
      #expect { try mapping.faultIn(0..<8 * pageSize, descriptor) } throws: {
        ($0 as? ReadError)?.code == .sourceChanged
      }
      #expect { try mapping.faultIn(5 * pageSize..<5 * pageSize + 1, descriptor) } throws: {
        ($0 as? ReadError)?.code == .sourceChanged
      }
      try descriptor.close()
    }
  #endif

  @Test(arguments: [true, false])
  func `what would be a signal is the error of the disk`(isResident: Bool) async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let fails = Atomic<Bool>(true)
    var configuration = MappedSource.Configuration()
    configuration.calls.isResident = { _ in isResident }
    configuration.calls.populate = { fails.load(ordering: .relaxed) ? -EFAULT : MappedCalls().populate($0) }
    configuration.calls.read = {
      if fails.load(ordering: .relaxed) { throw Errno.ioError }
      return try MappedCalls().read($0, $1, $2)
    }
    let reader = try await mappedReader(path, configuration)
    await #expect { _ = try await reader.read(0..<50_000) } throws: {
      let error = $0 as? ReadError
      return error?.code == .inputOutput && error?.cause as? Errno == .ioError && error?.range?.count == 50_000
    }
    fails.store(false, ordering: .relaxed)
    #expect(try await reader.read(0..<50_000) == bytes[0..<50_000])
    await reader.close()
  }

  @Test func `a page that comes on the second try is worth another read`() async throws {
    let (path, _) = try directory.file(count: 100_000)
    var configuration = MappedSource.Configuration()
    configuration.calls.populate = { _ in -EFAULT }
    let reader = try await mappedReader(path, configuration)
    await #expect { _ = try await reader.read(0..<50_000) } throws: {
      let error = $0 as? ReadError
      return error?.code == .inputOutput && error?.isTransient == true
    }
    await reader.close()
  }

  @Test(arguments: [EINVAL, ENOTSUP])
  func `a kernel that cannot populate is helped by reading`(number: CInt) async throws {
    let (path, bytes) = try directory.file(count: 200_000)
    let tries = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    var configuration = MappedSource.Configuration()
    configuration.calls.populate = { _ in
      tries.wrappingAdd(1, ordering: .relaxed)
      return -number
    }
    configuration.calls.read = {
      let count = try MappedCalls().read($0, $1, $2)
      read.wrappingAdd(count, ordering: .relaxed)
      return count
    }
    let reader = try await mappedReader(path, configuration)
    for _ in 0..<3 { #expect(try await reader.read(1..<150_000) == bytes[1..<150_000]) }
    #expect(tries.load(ordering: .relaxed) == 1, "it is asked once")
    #expect(read.load(ordering: .relaxed) == 3 * 149_999)
    try #require(truncate(path, 5000) == 0)
    await expectError(.sourceChanged) { _ = try await reader.read(1..<150_000) }
    await reader.close()
  }

  @Test func `a change between the pages and the look at the version is seen`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let changes = Atomic<Bool>(false)
    var configuration = MappedSource.Configuration()
    configuration.calls.populate = { pages in
      defer {
        if changes.exchange(false, ordering: .relaxed) {
          // `try?`: if it fails, the file did not change, and the expectation below says so.
          try? write(SyntheticSource.bytes(0..<100, version: 9), to: path, truncating: false)
        }
      }
      return MappedCalls().populate(pages)
    }
    let reader = try await mappedReader(path, configuration)
    #expect(try await reader.read(0..<1000) == bytes[0..<1000])
    changes.store(true, ordering: .relaxed)
    await expectError(.sourceChanged) { _ = try await reader.read(0..<1000) }
    await reader.close()
  }

}
