import Foundation
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Whether the kernel begins reads, and who collects those that it has begun.
struct BegunReadsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Watches a read that is there after so many looks.
  private func watch(_ begun: BegunReads, after looks: Int) throws {
    var looked = 0
    try begun.watch { () throws(Errno) in
      defer { looked += 1 }
      return looked >= looks
    }
  }

  @Test func `it is certain once reads have come by themselves several times in a row`() throws {
    let begun = BegunReads()
    for _ in 1..<BegunReads.enough { try watch(begun, after: 1) }
    #expect(begun.isOpen && !begun.isCertain)
    // One that another has read says nothing; one that does not come says that the others were read by others.
    try watch(begun, after: 0)
    try watch(begun, after: .max)
    for _ in 1..<BegunReads.enough { try watch(begun, after: 2) }
    #expect(begun.isOpen && !begun.isCertain)
    try watch(begun, after: 1)
    #expect(!begun.isOpen && begun.isCertain)
  }

  @Test func `after many that did not come it is not looked for any more`() throws {
    let begun = BegunReads()
    for _ in 1..<BegunReads.maxTries { try watch(begun, after: .max) }
    #expect(begun.isOpen)
    try watch(begun, after: .max)
    #expect(!begun.isOpen && !begun.isCertain)
  }

  @Test func `each device has its own, and a device that fails is reported by the read`() throws {
    #expect(BegunReads.of(.max) === BegunReads.of(.max) && BegunReads.of(.max) !== BegunReads.of(.max - 1))
    let begun = BegunReads()
    #expect(throws: Errno.ioError) { try begun.watch { () throws(Errno) in throw .ioError } }
    #expect(begun.isOpen)
  }

  private final class Clock: Sendable {
    private let now = Locked<Int64>(0)
    @discardableResult func advance(by nanoseconds: Int64) -> Int64 {
      now.withLock { now in
        now += nanoseconds
        return now
      }
    }
  }

  /// What is certain of a device whose reads take so long, by a clock that each look moves on by a microsecond.
  private func certain(_ nanoseconds: Int64, mayLook: Bool = true) throws -> (BegunReads, Clock) {
    let clock = Clock()
    let begun = BegunReads(now: { clock.advance(by: 1000) }, mayLook: { mayLook })
    for _ in 0..<BegunReads.enough { try watch(begun, after: 1) }
    let read = begun.began()
    clock.advance(by: nanoseconds)
    begun.came(read)
    return (begun, clock)
  }

  /// How often a read is looked for that is there after so many looks.
  private func looks(for begun: BegunReads, after number: Int = .max) throws -> Int {
    var looks = 0
    let isThere = try begun.look(for: begun.began()) { () throws(Errno) in
      looks += 1
      return looks > number
    }
    #expect(isThere == (looks > number))
    return looks
  }

  @Test func `a lone read of a fast device is polled for at most twice its usual latency`() throws {
    let (begun, _) = try certain(20_000)
    #expect(try looks(for: begun, after: 5) == 6)
    let most = try looks(for: begun)
    #expect((38...44).contains(most), "\(most)")
    // Not while others wait.
    begun.waits()
    #expect(try looks(for: begun) == 0)
    begun.waited()
    // The first of several that begin one after the other is alone for a moment only.
    #expect(try looks(for: begun, after: 1) == 0)
    #expect(try looks(for: begun, after: 1) == 2)
    // It ends when another one comes.
    let read = begun.began()
    var looked = 0
    _ = try begun.look(for: read) { () throws(Errno) in
      looked += 1
      if looked == 3 { begun.waits() }
      return false
    }
    #expect(looked == 3)
  }

  @Test func `reads are not looked for on a slow device, one that is not known, nor on the main thread`() throws {
    #expect(try looks(for: certain(BegunReads.quick + 2000).0) == 0)
    #expect(try looks(for: certain(20_000, mayLook: false).0) == 0)
    #expect(try looks(for: BegunReads()) == 0)
  }

  @Test func `where threads wake slowly a device counts as quick for longer, up to a limit`() throws {
    let (begun, clock) = try certain(70_000)
    /// A read by another thread, whose caller goes on so much later.
    func read(_ took: Int64, waking: Int64) {
      let read = begun.began()
      clock.advance(by: took)
      begun.came(read)
      clock.advance(by: waking)
      begun.resumed(read)
    }
    #expect(try looks(for: begun) == 0)
    for _ in 0..<40 { read(70_000, waking: 10_000) }
    #expect(try looks(for: begun) == 0)
    for _ in 0..<40 { read(70_000, waking: 25_000) }
    #expect(try looks(for: begun, after: 5) == 6)
    for _ in 0..<40 { read(BegunReads.maxQuickTime + 5000, waking: 400_000) }
    #expect(try looks(for: begun) == 0)
    // What wakes its caller late does not make the device slow.
    for _ in 0..<100 { read(30_000, waking: 400_000) }
    #expect(try looks(for: begun, after: 5) == 6)
  }

  @Test func `a device that becomes slow is not looked at any more, and again once it is quick`() throws {
    let (begun, clock) = try certain(20_000)
    func read(_ nanoseconds: Int64) {
      let read = begun.began()
      clock.advance(by: nanoseconds)
      begun.came(read)
    }
    read(1_000_000)
    #expect(try looks(for: begun) == 0)
    for _ in 0..<100 { read(20_000) }
    #expect(try looks(for: begun) > 0)
  }

  /// Starts threads that know the name of their pool. Not as their own name: Foundation gives them one as well, a moment
  /// later.
  private static func start(_ pool: String) -> IOThreads.Start {
    { body, context in
      // The thread's own from here on.
      nonisolated(unsafe) let context = context
      Thread.detachNewThread {
        Thread.current.threadDictionary["pool"] = pool
        body(context)
      }
      return 0
    }
  }

  /// The pool of this thread.
  private static var pool: String { Thread.current.threadDictionary["pool"] as? String ?? "" }

  /// A source whose pages come from the disk by themselves after two looks at them, if `comes`; with threads for that.
  private func source(
    _ path: String, _ begun: BegunReads, comes: Bool, _ blocking: Noted<String>
  ) -> FileSource {
    let asked = Noted<Int>()
    @Sendable func isThere(_ offset: Int) -> Bool {
      defer { asked.add(offset) }
      return comes && asked.all.count { $0 == offset } >= 2
    }
    var configuration = FileSource.Configuration()
    let system = Syscalls.Calls()
    configuration.syscalls = Syscalls(
      .init(
        read: { descriptor, buffer, offset in
          blocking.add(Self.pool)
          return system.read(descriptor, buffer, offset)
        },
        readResident: {
          isThere($2) ? system.readResident($0, $1, $2) : -Int(Errno.resourceTemporarilyUnavailable.rawValue)
        },
        readScattered: { descriptor, buffers, offset, isResident in
          if !isResident { blocking.add(Self.pool) }
          return isResident && !isThere(offset)
            ? -Int(Errno.resourceTemporarilyUnavailable.rawValue)
            : system.readScattered(descriptor, buffers, offset, isResident)
        }))
    configuration.begunReads = { _ in begun }
    configuration.threads = IOThreads(
      limit: 4, collecting: IOThreads(limit: 4, start: Self.start("collecting")), start: Self.start("waiting"))
    return FileSource(path, configuration: configuration)
  }

  /// Reads 20 blocks in each way, and compares them.
  private func read(_ source: FileSource, _ bytes: [UInt8], from first: Int) async throws {
    let all = Bytes(bytes)
    let description = try await source.describe()
    let grid = try #require(BlockGrid(blockSize: 4096))
    for block in first..<first + 20 {
      let range = block * 4096..<(block + 1) * 4096
      switch block % 3 {
      case 0: #expect(try await source.read(range, of: description) == all[range])
      case 1: #expect(try await source.read([range], of: description) == [all[range]])
      default:
        let pieces = try await source.read(grid.pieces(of: range).map(\.range), of: description)
        #expect(pieces == [all[range]])
      }
    }
  }

  @Test func `once it is certain a few threads collect what the kernel has begun`() async throws {
    let (path, bytes) = try await directory.file(count: 100 * 4096)
    // Nothing looks for a read itself, however quick this machine is: each is collected by a thread.
    let (begun, blocking) = (BegunReads(mayLook: { false }), Noted<String>())
    let source = source(path, begun, comes: true, blocking)
    try await read(source, bytes, from: 0)
    #expect(begun.isCertain)
    #expect(blocking.all.allSatisfy { $0 == "collecting" } && blocking.all.count == 20 - BegunReads.enough)
    // What is too long to be begun as a whole waits elsewhere.
    let long = 40 * 4096..<40 * 4096 + LaneThreshold.maxBegunBytes + 1
    #expect(try await source.read(long, of: try await source.describe()) == Bytes(bytes)[long])
    #expect(blocking.all.last == "waiting")
    await source.close()
  }

  @Test func `on a slow device a read alone makes two calls, one of which waits: nothing looks for it`() async throws {
    let (path, bytes) = try await directory.file(count: 100 * 4096)
    let (begun, clock) = try certain(1_000_000)
    let calls = Noted<String>()
    let system = Syscalls.Calls()
    var configuration = FileSource.Configuration()
    configuration.syscalls = Syscalls(
      .init(
        read: { descriptor, buffer, offset in
          calls.add("waits")
          clock.advance(by: 1_000_000)
          return system.read(descriptor, buffer, offset)
        },
        readResident: { _, _, _ in
          calls.add("asks")
          return -Int(Errno.resourceTemporarilyUnavailable.rawValue)
        }))
    configuration.begunReads = { _ in begun }
    let source = FileSource(path, configuration: configuration)
    let description = try await source.describe()
    for block in 0..<20 {
      let range = block * 4096..<(block + 1) * 4096
      #expect(try await source.read(range, of: description) == Bytes(bytes)[range])
    }
    #expect(calls.all == (0..<40).map { $0 % 2 == 0 ? "asks" : "waits" })
    await source.close()
  }

  @Test(arguments: [false, true])
  func `a read takes as long as until its bytes arrive, however late its caller wakes`(isScattered: Bool) async throws {
    let (path, bytes) = try await directory.file(count: 100 * 4096)
    let (clock, calls) = (Clock(), Noted<String>())
    // Callers are late by 0.4 ms each time that they look at the clock.
    let begun = BegunReads(
      now: { clock.advance(by: Self.pool == "collecting" ? 1000 : 400_000) }, mayLook: { true })
    for _ in 0..<BegunReads.enough { try watch(begun, after: 1) }
    let system = Syscalls.Calls()
    let refused = -Int(Errno.resourceTemporarilyUnavailable.rawValue)
    var configuration = FileSource.Configuration()
    configuration.syscalls = Syscalls(
      .init(
        read: { descriptor, buffer, offset in
          calls.add("waits")
          clock.advance(by: 30_000)
          return system.read(descriptor, buffer, offset)
        },
        readResident: { _, _, _ in
          calls.add("asks")
          return refused
        },
        readScattered: { descriptor, buffers, offset, isResident in
          calls.add(isResident ? "asks" : "waits")
          if !isResident { clock.advance(by: 30_000) }
          return isResident ? refused : system.readScattered(descriptor, buffers, offset, isResident)
        }))
    configuration.begunReads = { _ in begun }
    configuration.threads = IOThreads(
      limit: 4, collecting: IOThreads(limit: 4, start: Self.start("collecting")), start: Self.start("waiting"))
    let source = FileSource(path, configuration: configuration)
    let description = try await source.describe()
    let grid = try #require(BlockGrid(blockSize: 4096))
    for block in 0..<3 {
      let range = block * 4096..<(block + 1) * 4096
      let read =
        isScattered
        ? Bytes(concatenating: try await source.read(grid.pieces(of: range).map(\.range), of: description))
        : try await source.read(range, of: description)
      #expect(read == Bytes(bytes)[range])
    }
    // The first is not known to be quick; the others are looked for, once.
    #expect(calls.all == ["asks", "waits", "asks", "asks", "waits", "asks", "asks", "waits"])
    await source.close()
  }

  @Test func `where the kernel begins nothing each read waits on a thread of its own`() async throws {
    let (path, bytes) = try await directory.file(count: 100 * 4096)
    let (begun, blocking) = (BegunReads(), Noted<String>())
    let source = source(path, begun, comes: false, blocking)
    try await read(source, bytes, from: 0)
    #expect(!begun.isCertain && !begun.isOpen)
    #expect(blocking.all == [String](repeating: "waiting", count: 20))
    await source.close()
  }
}
