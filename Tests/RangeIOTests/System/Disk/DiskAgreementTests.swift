import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The simulated disk answers what the system's does, whatever happens to it: Linux, whose error numbers it has.
@Suite(.enabled(if: isLinux)) struct DiskAgreementTests {
  private let disks: DisksUnderTest

  init() throws { disks = try DisksUnderTest() }

  @Test(arguments: testSeeds) func `both disks answer alike`(seed: UInt64) throws {
    var one = DiskLife(disks[.system].directory, seed)
    var other = DiskLife(disks[.simulated].directory, seed)
    for step in 0..<400 {
      let (answer, expected) = (other.step(), one.step())
      guard answer == expected else {
        Issue.record("seed \(seed), step \(step): \(answer) instead of \(expected)")
        return
      }
    }
  }
}

#if os(Linux)
  private let isLinux = true
#else
  private let isLinux = false
#endif

/// A random life of a directory, which a seed repeats on another disk.
private struct DiskLife {
  private let directory: any SpillDirectory
  private var random: TestRandom
  private var open: [any SpillFile] = []
  private let names = ["a", "b", "c", "d"]

  init(_ directory: any SpillDirectory, _ seed: UInt64) {
    self.directory = directory
    random = TestRandom(seed)
  }

  /// Does something.
  ///
  /// - Returns: what, and what came of it, in words.
  mutating func step() -> String {
    let (name, other, file) = (names[random.below(4)], names[random.below(4)], random.below(6))
    let (offset, count) = (random.below(3 * 4096), random.below(2 * 4096))
    let (action, flag, byte) = (random.below(17), random.below(2) == 0, UInt8(random.below(256)))
    let what = "\(action) \(name) \(other) \(file) \(offset) \(count) \(flag)"
    do {
      return "\(what): \(try act(action, name, other, open.count > file ? open[file] : nil, offset, count, flag, byte))"
    } catch {
      return "\(what): \(error)"
    }
  }

  private mutating func act(
    _ action: Int, _ name: String, _ other: String, _ file: (any SpillFile)?, _ offset: Int, _ count: Int, _ flag: Bool,
    _ byte: UInt8
  ) throws -> String {
    switch action {
    case 0: return try keep(directory.create(name))
    case 1, 2: return try keep(directory.open(name, writing: flag))
    case 3: try directory.remove(name)
    case 4: try directory.rename(name, to: other)
    case 5: return String(describing: try directory.names().sorted())
    case 6: return tell(try directory.status(of: name))
    case 7 where !open.isEmpty: open.remove(at: offset % open.count)
    case 8: if flag { try directory.makeDirectory(name) } else { try directory.removeDirectory(name) }
    case 9: try directory.sync()
    default: if let file { return try act(action, on: file, offset, count, flag, byte) }
    }
    return "done"
  }

  private func act(
    _ action: Int, on file: any SpillFile, _ offset: Int, _ count: Int, _ flag: Bool, _ byte: UInt8
  ) throws -> String {
    switch action {
    case 10: try file.write(Array(repeating: byte, count: count), at: offset)
    case 11: return String(CRC32C.of(try file.bytes(count, at: offset)))
    case 12: try file.allocate(offset + 1)
    case 13: try file.truncate(count)
    case 14: return tell(try file.status())
    case 15: return String(try file.lock(exclusively: flag))
    case 16: if flag { try file.unlock() } else { try file.sync() }
    default: break
    }
    return "done"
  }

  private mutating func keep(_ file: any SpillFile) -> String {
    if open.count == 6 { open.removeFirst() }
    open.append(file)
    return "open"
  }

  /// Without sizes of directories, and owners.
  private func tell(_ status: DiskStatus) -> String {
    status.kind == .file ? "\(status.size), \(status.mode), \(status.linkCount)" : "\(status.kind), \(status.mode)"
  }
}

extension CRC32C {
  fileprivate static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
