import Foundation
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What may happen to a file that a reader has open, and what the reader makes of it: the table of
/// Docs/Guides/FilesThatChange.md.
enum FileEvent: String, CaseIterable {
  case append, copyLonger, copyEqual, copyShorter, truncateAndRegrow, rewriteRestoringTimes, replace, renameAway, unlink
  case hardLink, chmod, chown, touch, touchAccess, setAttribute, writeMapped

  /// What a reader sees of it.
  enum Seen {
    /// Nothing: the bytes that it opened are there still.
    case same
    /// The same and more.
    case grown
    /// Another version: reads throw.
    case changed
    /// Another version, which it turns to.
    case turned
  }

  func seen(by policy: RangeReader.ChangePolicy) -> Seen {
    let (fail, refresh, follow): (Seen, Seen, Seen) =
      switch self {
      case .append: (.changed, .turned, .grown)
      case .copyLonger, .copyEqual, .copyShorter, .truncateAndRegrow, .rewriteRestoringTimes, .writeMapped:
        (.changed, .turned, .changed)
      case .replace: (.same, .turned, .same)
      case .renameAway, .unlink, .hardLink, .chmod, .chown: (.same, .same, .same)
      case .touch, .touchAccess, .setAttribute: (.changed, .turned, .same)
      }
    return policy == .fail ? fail : policy == .refresh ? refresh : follow
  }
}

/// One event that befalls one file, step by step, and all that the file held meanwhile.
final class FileScript: Sendable {
  /// Whole pages, and more than two of those that followers compare.
  static let byteCount = 24_576

  let path: String
  let event: FileEvent
  private struct State {
    var random: TestRandom
    var next = 0
    /// Whether steps may happen in the midst of system calls.
    var isRunning = false
    var contents: [[UInt8]]
  }
  private let state: Locked<State>

  init(_ event: FileEvent, _ path: String, seed: UInt64) throws {
    (self.event, self.path) = (event, path)
    state = Locked(State(random: TestRandom(seed), contents: [Self.contents(1, Self.byteCount)]))
    try write(Self.contents(1, Self.byteCount), to: path)
    if event == .replace { try write(Self.contents(2, 30_000), to: path + ".next") }
  }

  /// Contents of a version in which each 8 bytes say which version it is, and where.
  static func contents(_ version: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      for word in 0..<count / 8 {
        UnsafeMutableRawBufferPointer(buffer).storeBytes(
          of: UInt64(version << 32 | word).littleEndian, toByteOffset: word * 8, as: UInt64.self)
      }
      filled = count
    }
  }

  /// Everything that the file, or what has its name, held so far, the last at the end.
  var history: [[UInt8]] { state.withLock { $0.contents } }

  func set(isRunning: Bool) { state.withLock { $0.isRunning = isRunning } }

  /// Maybe the next step.
  func maybeStep(oneIn chances: Int) { state.withLock { maybeStep(oneIn: chances, &$0) } }

  private func maybeStep(oneIn chances: Int, _ state: inout State) {
    guard state.isRunning, state.random.below(chances) == 0 else { return }
    step(&state)
  }

  /// A call to the system, with steps before and after it. Never within: what is read while a write is under way is half of
  /// one version, as the file lies there.
  private func between(_ call: () -> Int) -> Int {
    state.withLock { state in
      maybeStep(oneIn: 6, &state)
      defer { maybeStep(oneIn: 6, &state) }
      return call()
    }
  }

  /// All that has not happened yet.
  func finish() { state.withLock { state in while step(&state) {} } }

  /// The system's calls, with steps in their midst.
  var syscalls: Syscalls {
    Syscalls(
      .init(
        read: { [self] file, buffer, offset in between { Syscalls.system.call.read(file, buffer, offset) } },
        readResident: { [self] file, buffer, offset in
          between { Syscalls.system.call.readResident(file, buffer, offset) }
        },
        readScattered: { [self] file, buffers, offset, isResident in
          between { Syscalls.system.call.readScattered(file, buffers, offset, isResident) }
        }))
  }

  // MARK: steps

  /// The next step, if there is one left.
  @discardableResult private func step(_ state: inout State) -> Bool {
    let number = state.next
    state.next += 1
    let old = Self.contents(1, Self.byteCount)
    let copy: [UInt8]? =
      switch event {
      case .copyLonger: Self.contents(2, 40_960)
      case .copyEqual: Self.contents(2, Self.byteCount)
      case .copyShorter: Self.contents(2, 16_384)
      default: nil
      }
    if let copy {
      // As `cp` does: cut, and written piece by piece.
      let half = copy.count / 2
      switch number {
      case 0: cut(to: 0, &state)
      case 1: put(Array(copy[..<half]), at: 0, &state)
      case 2: put(Array(copy[half...]), at: half, &state)
      default: return false
      }
      return true
    }
    switch (event, number) {
    case (.append, 0...2):
      let end = Self.byteCount + number * 4096
      put(Array(Self.contents(1, end + 4096)[end...]), at: end, &state)
    case (.truncateAndRegrow, 0): cut(to: 12_288, &state)
    case (.truncateAndRegrow, 1): put(Array(Self.contents(2, 30_720)[12_288...]), at: 12_288, &state)
    case (.rewriteRestoringTimes, 0):
      var before = stat()
      expect(stat(path, &before))
      put(Self.contents(2, Self.byteCount), at: 0, &state)
      expect(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0))
    case (.replace, 0):
      expect(rename(path + ".next", path))
      state.contents.append(Self.contents(2, 30_000))
    case (.renameAway, 0): expect(rename(path, path + ".moved"))
    case (.unlink, 0): expect(systemUnlink(path))
    case (.hardLink, 0): expect(link(path, path + ".link"))
    case (.chmod, 0): expect(systemChmod(path, 0o400))
    // Only root gives files away; for others nothing happens.
    case (.chown, 0): if getuid() == 0 { expect(systemChown(path, 1, 1)) }
    case (.touch, 0): expect(utimensat(AT_FDCWD, path, nil, 0))
    case (.touchAccess, 0):
      let omitted = timespec(tv_sec: 0, tv_nsec: Self.omit)
      expect(utimensat(AT_FDCWD, path, [timespec(tv_sec: 1, tv_nsec: 0), omitted], 0))
    case (.setAttribute, 0): expect(setAttribute())
    case (.writeMapped, 0):
      writeMapped(Self.contents(2, 4096))
      state.contents.append(Self.contents(2, 4096) + old[4096...])
    default: return false
    }
    return true
  }

  private func expect(_ result: CInt) { #expect(result == 0, "\(event): \(errno)") }

  private func cut(to count: Int, _ state: inout State) {
    expect(truncate(path, off_t(count)))
    state.contents.append(Array(state.contents[state.contents.count - 1][..<count]))
  }

  private func put(_ bytes: [UInt8], at offset: Int, _ state: inout State) {
    #expect(throws: Never.self) { try write(bytes, to: path, at: offset, truncating: false) }
    var now = state.contents[state.contents.count - 1]
    now.replaceSubrange(offset..<min(now.count, offset + bytes.count), with: bytes)
    state.contents.append(now)
  }

  /// UTIME_OMIT, which Swift does not import.
  private static let omit: Int = {
    #if canImport(Darwin)
      -2
    #else
      (1 << 30) - 2
    #endif
  }()

  /// `setxattr`, which Swift does not import on Linux.
  private func setAttribute() -> CInt {
    #if canImport(Darwin)
      setxattr(path, "user.rangeio", "x", 1, 0, 0)
    #else
      typealias Set = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, CInt) -> CInt
      return "x".withCString { value in
        // The function of the C library of that name, which has this type.
        unsafeBitCast(dlsym(nil, "setxattr"), to: Set.self)(path, "user.rangeio", value, 1, 0)
      }
    #endif
  }

  private func writeMapped(_ bytes: [UInt8]) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    let memory = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { return expect(-1) }
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    expect(msync(memory, bytes.count, MS_SYNC))
    munmap(memory, bytes.count)
  }
}
