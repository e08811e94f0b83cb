import CRangeIOSystem
import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A disk that fails, dawdles and hangs, by an injected table of system calls.
struct FileFaultTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A reader of `path` whose reads from disk are `read`, by the positional lane.
  private func reader(
    _ path: String, resident: @escaping Syscalls.Read = { _, _, _ in -Int(EAGAIN) }, read: @escaping Syscalls.Read,
    engine: FileSource.Engine = .automatic, threads: IOThreads = .shared
  ) async throws -> RangeReader {
    let syscalls = Syscalls(.init(read: read, readResident: resident))
    return try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(engine, syscalls: syscalls, threads: threads)))
  }

  @Test(arguments: [EIO, ENODATA, ECONNRESET, EHOSTDOWN, ENOTCONN], [false, true])
  func `what passes of a network mount is tried again, and a disk's own failure is not`(number: CInt, isRemote: Bool)
    async throws
  {
    let (path, bytes) = try await directory.file(count: 10_000)
    let calls = Atomic<Int>(0)
    let failing: Syscalls.Read = { descriptor, buffer, offset in
      if calls.wrappingAdd(1, ordering: .relaxed).newValue <= 2 { return -Int(number) }
      return Syscalls.system.call.read(descriptor, buffer, offset)
    }
    let syscalls = Syscalls(
      .init(read: failing, readResident: { _, _, _ in -Int(EAGAIN) }, isRemote: { _ in isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(.positional, syscalls: syscalls))
    // By a clock that stands still: retries end after a minute.
    let reader = try await RangeReader(
      source, [.retrying(initialBackoff: .zero, maxBackoff: .zero)], time: ReadClock(ManualClock()))
    if isRemote || ![EIO, ENODATA].contains(number) {
      #expect(try await reader.read(10..<5000) == Bytes(bytes[10..<5000]))
    } else {
      let error = await #expect(throws: ReadError.self) { try await reader.read(10..<5000) }
      #expect(error?.code == .inputOutput && error?.isTransient == false)
    }
    await reader.close()
  }

  @Test(arguments: [EIO, ENODATA], [false, true])
  func `an opening that fails on a mount is tried again, and one on a disk is not`(number: CInt, isRemote: Bool)
    async throws
  {
    let (path, bytes) = try await directory.file(count: 10_000)
    let calls = Atomic<Int>(0)
    let syscalls = Syscalls(
      .init(
        open: { opened in
          guard opened == FilePath(path) else { return Syscalls.system.call.open(opened) }
          if calls.wrappingAdd(1, ordering: .relaxed).newValue <= 2 { return -Int(number) }
          return Syscalls.system.call.open(opened)
        }, isRemote: { $0 >= 0 && isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(.positional, syscalls: syscalls))
    do {
      let reader = try await RangeReader(
        source, [.retrying(initialBackoff: .zero, maxBackoff: .zero)], time: ReadClock(ManualClock()))
      #expect(try await reader.read(10..<5000) == Bytes(bytes[10..<5000]))
      #expect(isRemote)
      await reader.close()
    } catch let error as ReadError {
      #expect(!isRemote && error.code == .inputOutput && !error.isTransient)
      #expect(error.message.contains("server") == isRemote, "\(error.message)")
    }
  }

  @Test(arguments: [false, true])
  func `a second opening that fails says whether a server may be reached again`(isRemote: Bool) async throws {
    let path = try await directory.file(count: 10_000).path
    let syscalls = Syscalls(.init(reopen: { _ in -Int(EIO) }, isRemote: { _ in isRemote }))
    let source = FileSource(path, configuration: TestEngine.configuration(.dispatchIO, syscalls: syscalls))
    let description = try await source.describe()
    let error = await #expect(throws: ReadError.self) { _ = try await source.read(0..<10_000, of: description) }
    #expect(error?.code == .inputOutput && error?.isTransient == isRemote)
    await source.close()
  }

  @Test func `interruptions and short reads are carried on`() async throws {
    let (path, bytes) = try await directory.file(count: 200_000)
    let calls = Atomic<Int>(0)
    let stutter: Syscalls.Read = { descriptor, buffer, offset in
      let call = calls.wrappingAdd(1, ordering: .relaxed).newValue
      if call % 3 == 0 { return -Int(EINTR) }
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(1 + call % 7000))
      return Syscalls.system.call.read(descriptor, part, offset)
    }
    let cold = try await reader(path, read: stutter)
    #expect(try await cold.read(1..<150_000) == Bytes(bytes[1..<150_000]))
    await cold.close()
    let warm = try await reader(path, resident: stutter, read: { _, _, _ in -Int(EIO) })
    #expect(try await warm.read(1..<150_000) == Bytes(bytes[1..<150_000]))
    await warm.close()
  }

  @Test func `a read that is resident in part is finished by the disk`() async throws {
    let (path, bytes) = try await directory.file(count: 200_000)
    let half: Syscalls.Read = { descriptor, buffer, offset in
      guard offset < 70_000 else { return -Int(EAGAIN) }
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(70_000 - offset))
      return Syscalls.system.call.read(descriptor, part, offset)
    }
    let reader = try await reader(path, resident: half, read: Syscalls.system.call.read)
    #expect(try await reader.read(10..<200_000) == Bytes(bytes[10..<200_000]))
    #expect(reader.statistics().source["resident"]?.bytes == 69_990)
    #expect(reader.statistics().source["positional"]?.bytes == 130_000)
    await reader.close()
  }

  @Test func `a disk that fails gives its error, and the next read is asked anew`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let isBroken = Atomic<Bool>(true)
    let reader = try await reader(path) {
      isBroken.load(ordering: .relaxed) ? -Int(EIO) : Syscalls.system.call.read($0, $1, $2)
    }
    await #expect { try await reader.read(0..<10) } throws: {
      let error = $0 as? ReadError
      return error?.code == .inputOutput && error?.cause as? Errno == .ioError && error?.context?.count == 10
    }
    await #expect(throws: ReadError.self) { try await reader.read([0..<10, 20..<30, 40..<50]) }
    isBroken.store(false, ordering: .relaxed)
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    await reader.close()
  }

  // EPERM: sandboxes that know no calls younger than they are.
  @Test(arguments: [EOPNOTSUPP, ENOSYS, EINVAL, EPERM], [false, true])
  func `a system that cannot tell what is resident, or not any more, is asked no more`(
    _ errno: CInt, _ isScattered: Bool
  ) async throws {
    for before in [0, 1, 3] { try await expectNoMoreCalls(errno, isScattered, after: before) }
  }

  /// - Parameter before: so many calls tell, before one is refused.
  private func expectNoMoreCalls(_ errno: CInt, _ isScattered: Bool, after before: Int) async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let asked = Atomic<Int>(0)
    let syscalls = Syscalls(
      .init(
        readResident: { descriptor, buffer, offset in
          guard asked.wrappingAdd(1, ordering: .relaxed).oldValue < before else { return -Int(errno) }
          return Syscalls.system.call.read(descriptor, buffer, offset)
        },
        readScattered: { descriptor, vectors, offset, isResident in
          if isResident, asked.wrappingAdd(1, ordering: .relaxed).oldValue >= before { return -Int(errno) }
          return Syscalls.system.call.readScattered(descriptor, vectors, offset, false)
        }))
    let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls))
    let description = try await source.describe()
    let grid = try #require(BlockGrid(blockSize: 4096))
    for _ in 0..<5 {
      let got =
        isScattered
        ? Bytes(concatenating: try await source.read(grid.pieces(of: 0..<10_000).map(\.range), of: description))
        : try await source.read(0..<10_000, of: description)
      #expect(got == Bytes(bytes))
    }
    #expect(asked.load(ordering: .relaxed) == before + 1)
    await source.close()
  }

  @Test func `no call asks for as many bytes as a system refuses`() throws {
    // Neither is touched: only addresses and counts are looked at.
    let count = 5 << 30
    let pages = try #require(rio_map_pages(count))
    defer { rio_unmap_pages(pages, count) }
    let longest = Locked(0)
    let syscalls = Syscalls(
      .init(
        read: { _, buffer, _ in
          longest.withLock { $0 = max($0, buffer.count) }
          return buffer.count
        },
        readResident: { _, buffer, _ in
          longest.withLock { $0 = max($0, buffer.count) }
          return buffer.count
        },
        readScattered: { _, vectors, _, _ in
          let sum = vectors.reduce(0) { $0 + $1.iov_len }
          longest.withLock { $0 = max($0, sum) }
          return sum
        }))
    let buffer = UnsafeMutableRawBufferPointer(start: pages, count: count)
    #expect(try syscalls.readFully(0, buffer, at: 0) == count)
    #expect(try syscalls.readWhatIsResident(0, buffer, at: 0) == count)
    let scattered = ReadBuffers.several(try (0..<4).map { _ in try BufferPool.shared.buffer(768 << 20) })
    #expect(try scattered.fill(after: 5, upTo: 3 << 30, from: 0, of: 0, syscalls) == 3 << 30)
    #expect(try scattered.fillWithResident(after: 0, upTo: 3 << 30, from: 0, of: 0, syscalls) == 3 << 30)
    #expect(longest.withLock { $0 } <= Int(Int32.max))
  }

  @Test func `letting go of pages keeps no caller, and closing waits for it`() async throws {
    let path = try await directory.file(count: 10_000).path
    let gate = Gate()
    let descriptors = CountedDescriptors()
    let counted = descriptors.syscalls().call
    let syscalls = Syscalls(.init(open: counted.open, close: counted.close, advise: { _, _, _, _ in gate.pass() }))
    let source = FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls))
    let description = try await source.describe()
    source.advise(.dontNeed, 0..<10_000, of: description)
    source.advise(.willNeed, 0..<10_000, of: description)
    await gate.arrival(2)
    let closing = Task { await source.close() }
    #expect(descriptors.open == 1)
    gate.open()
    await closing.value
    #expect(descriptors.open == 0)
  }

  @Test func `a read that the disk never answers can be cancelled, and the others go on`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let gate = Gate()
    let reader = try await reader(path) { descriptor, buffer, offset in
      if offset == 0 { gate.pass() }
      return Syscalls.system.call.read(descriptor, buffer, offset)
    }
    let stuck = Task { try await reader.read(0..<10) }
    await gate.arrival()
    #expect(try await reader.read(100..<110) == Bytes(bytes[100..<110]))
    stuck.cancel()
    await #expect(throws: CancellationError.self) { try await stuck.value }
    gate.open()
    await reader.close()
  }

  @Test func `closing answers reads that hang, and waits for the kernel before it closes the file`() async throws {
    let (path, _) = try await directory.file(count: 10_000)
    let gate = Gate()
    let descriptors = CountedDescriptors()
    let syscalls = descriptors.syscalls(
      read: {
        gate.pass()
        return Syscalls.system.call.read($0, $1, $2)
      }, readResident: { _, _, _ in -Int(EAGAIN) })
    let reader = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(.automatic, syscalls: syscalls)))
    let stuck = (0..<3).map { number in Task { try await reader.read(number..<number + 10) } }
    await gate.arrival(3)
    let closing = Task { await reader.close() }
    for read in stuck {
      await #expect { try await read.value } throws: { ($0 as? ReadError)?.code == .closed }
    }
    #expect(descriptors.open == 1, "the kernel still writes")
    // Whoever does not want to wait for the kernel need not.
    let impatient = Task { await reader.close() }
    impatient.cancel()
    await impatient.value
    #expect(descriptors.open == 1)
    gate.open()
    await closing.value
    #expect(descriptors.open == 0)
    #expect(descriptors.wrongCloses == 0)
  }

  @Test func `reads that wait for a thread are taken back when they are cancelled`() async throws {
    let (path, _) = try await directory.file(count: 10_000)
    let gate = Gate()
    let reads = Atomic<Int>(0)
    let reader = try await reader(
      path,
      read: {
        reads.wrappingAdd(1, ordering: .relaxed)
        gate.pass()
        return Syscalls.system.call.read($0, $1, $2)
      }, threads: IOThreads(limit: 1))
    let first = Task { try await reader.read(0..<10) }
    await gate.arrival()
    let queued = (0..<50).map { _ in Task { try await reader.read(0..<10) } }
    for read in queued { read.cancel() }
    for read in queued { await #expect(throws: CancellationError.self) { try await read.value } }
    gate.open()
    _ = try await first.value
    await reader.close()
    #expect(reads.load(ordering: .relaxed) == 1)
  }

  @Test func `a dropped reader closes its descriptors`() async throws {
    let (path, _) = try await directory.file(count: 3_000_000)
    let descriptors = CountedDescriptors()
    do {
      let reader = try await RangeReader(
        FileSource(path, configuration: TestEngine.configuration(.dispatchIO, syscalls: descriptors.syscalls())))
      _ = try await reader.read(0..<2_000_000)
      #expect(descriptors.open == 2)
    }
    await descriptors.closed(2)
    #expect(descriptors.open == 0)
    #expect(descriptors.wrongCloses == 0)
  }

  @Test func `an opening that fails closes what it opened`() async throws {
    let descriptors = CountedDescriptors()
    await #expect(throws: ReadError.self) {
      try await RangeReader(
        FileSource(directory.path, configuration: TestEngine.configuration(syscalls: descriptors.syscalls())))
    }
    await descriptors.closed(1)
    #expect(descriptors.open == 0)
  }

  @Test func `what DispatchIO does not deliver is read by position`() async throws {
    let (path, bytes) = try await directory.file(count: 3_000_000)
    let (short, _) = try await directory.file("short", count: 1_200_000)
    // The channel gets a file that ends early, and says no more about it than when it is swept away.
    let syscalls = Syscalls(.init(reopen: { _ in Syscalls.system.call.open(FilePath(short)) }))
    let reader = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(.dispatchIO, syscalls: syscalls)))
    #expect(try await reader.read(0..<2_000_000).slice(1_200_000..<2_000_000) == Bytes(bytes[1_200_000..<2_000_000]))
    #expect(try await reader.read(2_000_000..<2_000_010) == Bytes(bytes[2_000_000..<2_000_010]))
    #expect(reader.statistics().source["positional"]?.bytes == 800_010)
    await reader.close()
  }

  // In a process of its own: while a descriptor is bad, its number may be given to another test's file.
  @Test func `a foreign descriptor that goes bad under DispatchIO does not shorten our reads`() async {
    await #expect(processExitsWith: .success) {
      // libdispatch completes every operation of a disk with too few bytes when one descriptor of it is bad.
      let directory = try TemporaryDirectory()
      let (path, bytes) = try await directory.file(count: 3_000_000)
      let (other, _) = try await directory.file("other", count: 3_000_000)
      let reader = try await RangeReader(path, engine: .dispatchIO)
      let victim = systemOpen(other, O_RDONLY | O_CLOEXEC)
      try #require(victim >= 0)
      let poison = PoisonedChannel(victim)
      let reads = (0..<8).map { number in
        let start = number * 1000
        return Task { (start, try await reader.read(start..<start + 1_500_000)) }
      }
      poison.read()
      for read in reads {
        let (start, got) = try await read.value
        #expect(got == Bytes(bytes[start..<start + 1_500_000]))
      }
      print("bytes that `pread` had to fetch:", reader.statistics().source["positional"]?.bytes ?? 0)
      await reader.close()
    }
  }
}
