import CRangeIOSystem
import Foundation
import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Reads past the page cache: of the real disk, and of one that refuses what is not aligned.
struct DirectLaneTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func source(_ path: String, _ syscalls: Syscalls = .system) -> FileSource {
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.syscalls = syscalls
    return FileSource(path, configuration: configuration)
  }

  private static let size = 1_234_567

  /// Ranges at both ends, and across every kind of border.
  private static let ranges: [ByteRange] = {
    var ranges: [ByteRange] = [0..<size]
    for start in [0, 1, 511, 512, 513, 4095, 4096, 4097, 65_536, 1_048_575] {
      for count in [1, 511, 512, 4096, 4097, 65_537, 131_072, 262_145, 900_000] where start + count <= size {
        ranges.append(start..<start + count)
      }
    }
    for count in [1, 134, 135, 136, 4096, 70_000] { ranges.append(size - count..<size) }
    return ranges
  }()

  /// Reads everything in each way that there is, and compares it with the file.
  private func check(_ source: FileSource, _ bytes: [UInt8]) async throws {
    let all = Bytes(bytes)
    let reader = try await RangeReader(source)
    for range in Self.ranges { #expect(try await reader.read(range) == all[range], "\(range)") }
    #expect(try await reader.read(Self.ranges) == Self.ranges.map { all[$0] })
    var streamed: [Bytes] = []
    for try await chunk in reader.stream(0...) { streamed.append(chunk) }
    #expect(Bytes(concatenating: streamed) == all)
    for blockSize in [512, 4096, 65_536, 262_144] {
      let grid = try #require(BlockGrid(blockSize: blockSize))
      for range in Self.ranges {
        let pieces = try await source.read(grid.pieces(of: range).map(\.range), of: reader.source)
        #expect(pieces.map(\.count) == grid.pieces(of: range).map(\.range.count))
        #expect(Bytes(concatenating: pieces) == all[range], "\(blockSize): \(range)")
      }
    }
    await reader.close()
  }

  private func count(_ name: String, of lane: String, _ source: FileSource) -> Int? {
    source.statistics().first { $0.name == lane }?[name]
  }

  @Test func `the disk gives every range, and the page cache gets none of it`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    try dropPages(of: path)
    let source = source(path)
    try await check(source, bytes)
    guard count("refused", of: "direct", source) == 0 else { return }
    #expect(count("bytes", of: "positional", source) == 0 && count("bytes", of: "resident", source) == 0)
    #if os(Linux)
      // Asked of the kernel: a read that looks would bring pages in.
      let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
      let mapped = try #require(mmap(nil, Self.size, PROT_READ, MAP_SHARED, descriptor.rawValue, 0))
      try #require(mapped != MAP_FAILED)
      var resident = [UInt8](repeating: 0, count: (Self.size + 4095) / 4096)
      #expect(mincore(mapped, Self.size, &resident) == 0)
      #expect(resident.count { $0 & 1 != 0 } == 0)
      munmap(mapped, Self.size)
      try descriptor.close()
    #endif
  }

  @Test func `what was written just before is read`() async throws {
    let path = directory.path("written")
    let source = SyntheticSource.bytes(0..<Self.size, version: 3)
    try write([UInt8](source), to: path)
    try await check(self.source(path), [UInt8](source))
  }

  @Test(arguments: [(1, 512), (4, 512), (512, 512), (512, 4096), (4096, 4096), (4096, 65_536), (65_536, 1 << 20)])
  func `everything asked of the disk is aligned as it wants`(_ memory: Int, _ offset: Int) async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: memory, offset: offset)
    let source = source(path, disk.syscalls)
    try await check(source, bytes)
    #expect(disk.refusals == 0 && count("refused", of: "direct", source) == 0)
    #expect(count("bytes", of: "positional", source) == 0 && count("bytes", of: "resident", source) == 0)
    #expect(disk.open == 0)
  }

  /// - Parameter refusesAll: whether it then cannot tell what is in the page cache either.
  @Test(arguments: [Errno.invalidArgument, .notSupportedOnSocket, .noFunction, .notPermitted], [false, true])
  func `a system that refuses is read through the page cache, from the start or in the middle of its life`(
    _ errno: Errno, _ refusesAll: Bool
  ) async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    for refusesAfter in [nil, 0, 1, 7, 100] as [Int?] {
      let disk = StrictDisk(memory: 512, offset: 512)
      disk.errno = -Int(errno.rawValue)
      disk.refusesAfter.store(refusesAfter ?? -1, ordering: .relaxed)
      disk.tellsResident.store(!refusesAll, ordering: .relaxed)
      let source = source(path, disk.syscalls)
      try await check(source, bytes)
      #expect(count("refused", of: "direct", source) == 1, "after \(refusesAfter.map { "\($0)" } ?? "opening")")
      #expect(disk.open == 0)
    }
    let disk = StrictDisk(memory: 0, offset: 0)
    let source = source(path, disk.syscalls)
    try await check(source, bytes)
    #expect(count("refused", of: "direct", source) == 1 && disk.open == 0)
  }

  @Test func `reads that stop early go on`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    for longest in [512, 4096, 5000, 100_000] {
      let disk = StrictDisk(memory: 512, offset: 512)
      disk.longest.store(longest, ordering: .relaxed)
      try await check(source(path, disk.syscalls), bytes)
      #expect(disk.refusals == 0)
    }
  }

  @Test func `a read that stops where memory is not aligned ends by way of the page cache`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 4096, offset: 512)
    disk.longest.store(5120, ordering: .relaxed)
    let source = source(path, disk.syscalls)
    try await check(source, bytes)
    #expect(disk.refusals == 0 && count("refused", of: "direct", source) == 0)
  }

  @Test(arguments: [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory])
  func `what is short when the descriptor is opened is asked for again`(_ errno: Errno) async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 512, offset: 512)
    disk.errno = -Int(errno.rawValue)
    disk.refusesAfter.store(-1, ordering: .relaxed)
    let source = source(path, disk.syscalls)
    let reader = try await RangeReader(source)
    #expect(try await reader.read(1..<5000) == Bytes(bytes[1..<5000]))
    #expect(count("refused", of: "direct", source) == 0 && count("bytes", of: "direct", source) == 0)
    disk.refusesAfter.store(.max, ordering: .relaxed)
    #expect(try await reader.read(1..<5000) == Bytes(bytes[1..<5000]))
    #expect(count("bytes", of: "direct", source) == 4999)
    await reader.close()
    #expect(disk.open == 0)
  }

  @Test func `a descriptor that serves nothing stays open as long as the file`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    // Two reads open one each.
    let disk = StrictDisk(memory: 512, offset: 512)
    disk.opensTogether.withLock { $0 = Meeting(of: 2) }
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.syscalls = disk.syscalls
    configuration.threads = IOThreads(limit: 2)
    let reader = try await RangeReader(FileSource(path, configuration: configuration))
    async let first = reader.read(0..<5000)
    async let second = reader.read(5000..<9000)
    let (one, other) = try await (first, second)
    #expect(one == Bytes(bytes[0..<5000]) && other == Bytes(bytes[5000..<9000]))
    #expect(disk.open == 2)
    await reader.close()
    #expect(disk.open == 0)
    // Opened, and then it turns out that the file system does not know such reads.
    let refusing = StrictDisk(memory: 0, offset: 0)
    let refused = try await RangeReader(source(path, refusing.syscalls))
    #expect(try await refused.read(0..<5000) == Bytes(bytes[0..<5000]))
    #expect(refusing.open == 1)
    await refused.close()
    #expect(refusing.open == 0)
  }

  @Test func `a file that is renewed gives back all its descriptors`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 512, offset: 512)
    let released = Locked<[CInt]>([])
    disk.onRelease.withLock { $0 = { descriptor in released.withLock { $0.append(descriptor) } } }
    disk.opensTogether.withLock { $0 = Meeting(of: 2) }
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.syscalls = disk.syscalls
    configuration.threads = IOThreads(limit: 2)
    let source = FileSource(path, configuration: configuration)
    let old = try await source.describe()
    async let first = source.read(0..<5000, of: old)
    async let second = source.read(5000..<9000, of: old)
    let (one, other) = try await (first, second)
    #expect(one == Bytes(bytes[0..<5000]) && other == Bytes(bytes[5000..<9000]))
    disk.opensTogether.withLock { $0 = nil }
    try write(Array(bytes.reversed()), to: path + ".new")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
    let new = try await source.renew()
    #expect(try await source.read(0..<5000, of: new) == Bytes(bytes.reversed()[0..<5000]))
    await source.close()
    // The one that was opened first, and both that read past the page cache.
    #expect(Set(released.withLock { $0 }).count == 3)
    #expect(disk.open == 0)
  }

  @Test func `a disk that fails gives its error, and is not asked by way of the page cache`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 512, offset: 512)
    let source = source(path, disk.syscalls)
    let reader = try await RangeReader(source)
    _ = try await reader.read(0..<100)
    disk.errno = -Int(Errno.ioError.rawValue)
    disk.refusesAfter.store(1, ordering: .relaxed)
    let error = await #expect(throws: ReadError.self) { try await reader.read(5000..<6000) }
    #expect(error?.code == .inputOutput)
    disk.refusesAfter.store(.max, ordering: .relaxed)
    #expect(try await reader.read(5000..<6000) == Bytes(bytes[5000..<6000]))
    #expect(count("refused", of: "direct", source) == 0)
    await reader.close()
  }

  @Test func `a file that became shorter, or another, is no end of what was asked for`() async throws {
    let (path, _) = try await directory.file(count: Self.size)
    let reader = try await RangeReader(source(path))
    _ = try await reader.read(0..<100)
    let descriptor = try FileDescriptor.open(FilePath(path), .readWrite)
    try descriptor.resize(to: 1_000_001)
    try descriptor.close()
    for range in [999_000..<1_000_500, 0..<100] {
      let error = await #expect(throws: ReadError.self) { try await reader.read(range) }
      #expect(error?.code == .sourceChanged)
    }
    await reader.close()
  }

  @Test func `cancelled and closed reads leave no descriptor and no memory in use`() async throws {
    let (path, _) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 512, offset: 512)
    let gate = Gate()
    disk.waits.withLock { $0 = gate }
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.syscalls = disk.syscalls
    configuration.threads = IOThreads(limit: 2)
    let reader = try await RangeReader(FileSource(path, configuration: configuration))
    let tasks = (0..<20).map { number in
      Task { try await reader.read(number * 4096..<number * 4096 + 200_000) }
    }
    await gate.arrival()
    for task in tasks.prefix(10) { task.cancel() }
    for task in tasks.prefix(10) { await #expect(throws: CancellationError.self) { try await task.value } }
    async let closing: Void = reader.close()
    for task in tasks.suffix(10) { await #expect(throws: (any Error).self) { try await task.value } }
    gate.open()
    await closing
    #expect(disk.open == 0)
  }

  /// A reader of a disk that begins reads as the kernel does, and has opened its descriptor.
  private func reader(_ path: String, _ disk: StrictDisk, _ begin: @escaping KernelReads.Begin) async throws -> (
    RangeReader, FileSource
  ) {
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.syscalls = disk.syscalls
    configuration.beginDirect = begin
    let source = FileSource(path, configuration: configuration)
    let reader = try await RangeReader(source)
    _ = try await reader.read(0..<1)
    return (reader, source)
  }

  @Test func `reads that the kernel does are left at once, and closing waits for them`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let (disk, held) = (StrictDisk(memory: 512, offset: 512), HeldReads())
    let (reader, source) = try await reader(path, disk, held.begin)
    let first = Task { try await reader.read(5..<5000) }
    await held.begun.reaches(1)
    held.end()
    #expect(try await first.value == Bytes(bytes[5..<5000]))
    #expect(count("bytes", of: "direct", source) == 1 + 4995)
    let tasks = (0..<20).map { number in Task { try await reader.read(number * 4096..<number * 4096 + 5000) } }
    await held.begun.reaches(21)
    for task in tasks.prefix(10) { task.cancel() }
    for task in tasks.prefix(10) { await #expect(throws: CancellationError.self) { try await task.value } }
    async let closing: Void = reader.close()
    for task in tasks.suffix(10) { await #expect(throws: (any Error).self) { try await task.value } }
    #expect(disk.open == 1, "the kernel still reads")
    held.end()
    await closing
    #expect(disk.open == 0)
  }

  @Test(arguments: [nil, -Int(EIO), -Int(EAGAIN), -Int(EINVAL), 0, 512] as [Int?])
  func `what the kernel does not begin, or not as a whole, a thread reads`(_ result: Int?) async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let disk = StrictDisk(memory: 512, offset: 512)
    let calls = Atomic<Int>(0)
    let (reader, source) = try await reader(path, disk) { _, _, _, read in
      calls.wrappingAdd(1, ordering: .relaxed)
      guard let result else { return -Int(EAGAIN) }
      read.ended(result)
      return 0
    }
    #expect(try await reader.read(5..<5000) == Bytes(bytes[5..<5000]))
    #expect(calls.load(ordering: .relaxed) == 1 && count("refused", of: "direct", source) == 0)
    #expect(count("bytes", of: "direct", source) == 1 + 4995)
    // Long ones have threads, with all that come with them, and those whose memory a store wants to keep, unless they are aligned.
    #expect(try await reader.read(0..<100_000) == Bytes(bytes[0..<100_000]))
    #expect(try await reader.read([1000..<2000, 9000..<9001])[0] == Bytes(bytes[1000..<2000]))
    #expect(calls.load(ordering: .relaxed) == 1)
    await reader.close()
    #expect(disk.open == 0)
  }

  @Test(arguments: [EOPNOTSUPP, EINVAL, ENOSYS, EPERM, EAGAIN])
  func `a kernel that refuses is not asked again`(_ errno: CInt) async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let calls = Atomic<Int>(0)
    let (reader, source) = try await reader(path, StrictDisk(memory: 512, offset: 512)) { _, _, _, _ in
      calls.wrappingAdd(1, ordering: .relaxed)
      return -Int(errno)
    }
    for lower in 0..<5 { #expect(try await reader.read(lower..<lower + 700) == Bytes(bytes[lower..<lower + 700])) }
    #expect(calls.load(ordering: .relaxed) == (errno == EAGAIN ? 5 : 1))
    #expect(count("refused", of: "direct", source) == 0, "direct reads go on")
    await reader.close()
  }

  @Test func `what a read keeps that nobody waits for any more is let go on another thread`() async throws {
    final class Kept: Sendable {
      let gone: Promise<UInt32>
      init(_ gone: Promise<UInt32>) { self.gone = gone }
      deinit { gone.resolve(.success(rio_thread_number())) }
    }
    for isCancelled in [false, true] {
      let (gate, gone) = (ShutdownGate(), Promise<UInt32>())
      #expect(gate.enter())
      let read = KernelReads.Read(keeping: Kept(gone), within: gate, IOThreads(limit: 1))
      if isCancelled { read.answer.fail(CancellationError()) }
      let here = {
        read.ended(5)
        return rio_thread_number()
      }()
      #expect(try await (gone.value() == here) == !isCancelled)
      gate.leave()
    }
  }

  @Test func `many reads that the kernel does at the same time each get their bytes`() async throws {
    let (path, bytes) = try await directory.file(count: Self.size)
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(source(path), [.caching(store, blockSize: .kibibytes(4))])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<300 {
        group.addTask {
          for number in 0..<20 {
            let lower = (task &* 7919 &+ number &* 104_729) % (Self.size - 5000)
            let range = lower..<lower + 1 + (task + number) % 5000
            let read = try await reader.read(range)
            #expect(read == Bytes(bytes[range]), "\(range)")
          }
        }
      }
      try await group.waitForAll()
    }
    await reader.close()
  }

  @Test func `alignments are powers of two, and ranges are widened to them`() throws {
    #expect(DirectAlignment(memory: 0, offset: 512) == nil && DirectAlignment(memory: 512, offset: 3) == nil)
    #expect(DirectAlignment(memory: 512, offset: 1 << 21) == nil)
    let alignment = try #require(DirectAlignment(memory: 4, offset: 512))
    #expect(alignment.around(0..<1) == 0..<512 && alignment.around(511..<513) == 0..<1024)
    #expect(alignment.around(512..<1024) == 512..<1024)
    #expect(alignment.around(Int.max - 3..<Int.max) == Int.max - 511..<Int.max)
  }
}

/// Begins reads, and ends them when it is told to.
private final class HeldReads: Sendable {
  private let held = Locked<[@Sendable () -> Void]>([])
  let begun = AwaitedCount()

  var begin: KernelReads.Begin {
    { [self] descriptor, buffer, offset, read in
      nonisolated(unsafe) let buffer = buffer
      held.withLock { $0.append { read.ended(Syscalls.system.call.read(descriptor, buffer, offset)) } }
      begun.add()
      return 0
    }
  }

  func end() {
    let all = held.withLock { held in
      defer { held = [] }
      return held
    }
    for end in all { end() }
  }
}

/// A disk whose direct reads must be aligned, or it refuses them: over the kernel's ordinary reads.
private final class StrictDisk: Sendable {
  private let alignment: DirectAlignment?
  private let descriptors = Locked<(direct: Set<CInt>, open: Int)>(([], 0))
  private let refused = Atomic<Int>(0)
  private let reads = Atomic<Int>(0)
  /// The most bytes of one read.
  let longest = Atomic<Int>(.max)
  /// After so many reads it answers ``errno``; negative: when it is opened already.
  let refusesAfter = Atomic<Int>(.max)
  private let answer = Atomic<Int>(0)
  /// Whether it answers what is in the page cache; else ``errno``.
  let tellsResident = Atomic<Bool>(true)
  /// What direct reads wait for.
  let waits = Locked<Gate?>(nil)
  /// Where those that open a direct descriptor wait for each other.
  let opensTogether = Locked<Meeting?>(nil)
  let onRelease = Locked<(@Sendable (CInt) -> Void)?>(nil)

  init(memory: Int, offset: Int) { alignment = DirectAlignment(memory: memory, offset: offset) }

  var errno: Int {
    get { answer.load(ordering: .relaxed) }
    set { answer.store(newValue, ordering: .relaxed) }
  }

  /// The reads that were not aligned.
  var refusals: Int { refused.load(ordering: .relaxed) }
  /// The direct descriptors that are open.
  var open: Int { descriptors.withLock { $0.open } }

  var syscalls: Syscalls {
    Syscalls(
      .init(
        reopenDirect: { descriptor in
          if self.refusesAfter.load(ordering: .relaxed) < 0 { return self.errno }
          let new = Syscalls.system.call.reopen(descriptor)
          if new >= 0 {
            self.descriptors.withLock {
              $0.direct.insert(CInt(new))
              $0.open += 1
            }
          }
          self.opensTogether.withLock { $0 }?.arrive()
          return new
        },
        directAlignment: { _ in self.alignment },
        close: { descriptor in
          self.descriptors.withLock { if $0.direct.remove(descriptor) != nil { $0.open -= 1 } }
          return Syscalls.system.call.close(descriptor)
        },
        release: { descriptor in
          self.onRelease.withLock { $0 }?(descriptor)
          return Syscalls.system.call.release(descriptor)
        },
        read: { descriptor, buffer, offset in
          guard self.descriptors.withLock({ $0.direct.contains(descriptor) }) else {
            return Syscalls.system.call.read(descriptor, buffer, offset)
          }
          return self.checked(buffer.baseAddress, buffer.count, offset) { count in
            Syscalls.system.call.read(
              descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), offset)
          }
        },
        readResident: { descriptor, buffer, offset in
          guard self.tellsResident.load(ordering: .relaxed) else { return self.errno }
          return Syscalls.system.call.readResident(descriptor, buffer, offset)
        },
        readScattered: { descriptor, vectors, offset, resident in
          if resident, !self.tellsResident.load(ordering: .relaxed) { return self.errno }
          guard self.descriptors.withLock({ $0.direct.contains(descriptor) }) else {
            return Syscalls.system.call.readScattered(descriptor, vectors, offset, resident)
          }
          for vector in vectors {
            let result = self.checked(vector.iov_base, Int(vector.iov_len), offset) { $0 }
            if result < 0 { return result }
          }
          var left = self.longest.load(ordering: .relaxed)
          let cut = vectors.map { vector in
            let count = min(Int(vector.iov_len), left)
            left -= count
            return iovec(iov_base: vector.iov_base, iov_len: count)
          }
          return cut.withUnsafeBufferPointer { Syscalls.system.call.readScattered(descriptor, $0, offset, resident) }
        }))
  }

  private func checked(
    _ address: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int, _ read: (_ count: Int) -> Int
  ) -> Int {
    if let gate = waits.withLock({ $0 }) { gate.pass() }
    if reads.wrappingAdd(1, ordering: .relaxed).oldValue >= refusesAfter.load(ordering: .relaxed) { return errno }
    guard let alignment, let address, alignment.isAligned(address), count % alignment.offset == 0,
      offset % alignment.offset == 0
    else {
      refused.wrappingAdd(1, ordering: .relaxed)
      return -Int(Errno.invalidArgument.rawValue)
    }
    return read(min(count, longest.load(ordering: .relaxed)))
  }
}

/// Where a number of threads wait until all of them are there.
private final class Meeting: Sendable {
  private let missing: Locked<Int>
  private let gate = DispatchSemaphore(value: 0)

  init(of count: Int) { missing = Locked(count) }

  func arrive() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    // Each lets the next one through.
    if !isLast { gate.wait() }
    gate.signal()
  }
}
