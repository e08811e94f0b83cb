import CRangeIOSystem
import SystemPackage

/// The memory of the system that this process runs on.
package enum SystemMemory {
  /// See ``ByteCount/processMemory``.
  package static var limit: ByteCount { limit(SystemFiles(), physical: Int(clamping: rio_physical_memory())) }

  /// The limit when the process first asked: what default sizes are measured by.
  private static let limitAtFirst = limit

  /// A default size: `usual`, or this part of the limit if that is less.
  package static func bounded(_ usual: ByteCount, toPart part: Int) -> ByteCount {
    bounded(usual, toPart: part, of: limitAtFirst)
  }

  static func bounded(_ usual: ByteCount, toPart part: Int, of limit: ByteCount) -> ByteCount {
    min(usual, limit / part)
  }

  /// The same for a system whose files and memory a test passes in. `physical`: 0 or less if not known.
  static func limit(_ files: SystemFiles, physical: Int) -> ByteCount {
    .bytes(min(physical > 0 ? physical : .max, MemoryMeter(files).limit ?? .max))
  }
}

/// Reads from kernel files how short memory is.
struct MemoryMeter: Sendable {
  private let files: SystemFiles
  /// Kept, since the table is long on a system with many containers, and the relevant part does not change.
  private let mounts: [ControlGroupMount]

  init(_ files: SystemFiles) {
    self.files = files
    mounts = files.text("/proc/self/mountinfo", limit: 1024 * 1024).map(ControlGroupMount.all) ?? []
  }

  /// The groups that bind this process now, the nearest first. Read each time: a process can be moved.
  var groups: [ControlGroup] {
    guard !mounts.isEmpty, let membership = files.text("/proc/self/cgroup") else { return [] }
    return ControlGroup.all(membership, mounts)
  }

  /// The bytes that the strictest group allows, if any group has a limit.
  var limit: Int? { groups.compactMap { $0.limit(files) }.min() }

  /// The memory that the tightest of the limited groups leaves; `nil` if no group has a limit.
  func left() -> MemoryLeft? { groups.compactMap { $0.left(files) }.min { $0.spare < $1.spare } }

  func read() -> MemoryReading {
    let groups = groups
    let system = StallShares(files.text("/proc/pressure/memory"))
    let own = groups.first { $0.version == .v2 }?.stalls(files)
    return MemoryReading(
      used: groups.compactMap { $0.used(files) }.max(),
      someStalled: [system.some, own?.some].compactMap { $0 }.max(),
      allStalled: [system.all, own?.all].compactMap { $0 }.max())
  }
}

/// The memory that a limit leaves at one moment, in bytes.
struct MemoryLeft: Equatable, Sendable {
  var limit: Int
  /// Negative if more is used than the limit.
  var free: Int

  /// The part of it that caches may take. The rest is for what the program and this library allocate until the next look.
  var spare: Int { free - min(limit / 8, 256 << 20) - min(limit / 6, 12 << 20) }
}

/// The state of the system's memory at one moment, as fractions; `nil` for unknown values.
struct MemoryReading: Equatable, Sendable {
  /// The used part of a control group's limit, where it is largest.
  var used: Double?
  /// The part of the last ten seconds in which some task waited for memory.
  var someStalled: Double?
  /// The part of the last ten seconds in which all tasks waited for memory.
  var allStalled: Double?
}

/// The shares of the last ten seconds that were lost to waiting for memory, as measured by the kernel ("PSI").
///
/// Source: the kernel's Documentation/accounting/psi.rst.
struct StallShares: Equatable, Sendable {
  var some: Double?
  var all: Double?

  /// Parses `some avg10=1.50 avg60=… avg300=… total=…` and the line `full`, which older kernels do not have everywhere.
  init(_ text: KernelText?) {
    for line in text?.lines ?? [] {
      let words = line.words
      let share = words.lazy.compactMap { $0.after("avg10=") }.first?.percentage
      if words.first.map({ $0 == "some" }) == true { some = share }
      if words.first.map({ $0 == "full" }) == true { all = share }
    }
  }
}

extension ByteCount {
  /// The bytes that this process may use: the machine's memory, or less if its control group, or one above that, has a
  /// limit. Use it to size caches.
  ///
  /// ```swift
  /// let store = MemoryStore(limit: min(.gibibytes(1), .processMemory / 4))
  /// ```
  ///
  /// Limits change, and a container's limit may be set after it has started: ask when you need it. On Linux
  /// `memory.max` and `memory.high` count, and `memory.limit_in_bytes` of version 1. Elsewhere, and where no limit can
  /// be read, the value is the machine's memory; iOS allows one app less than that. Memory used by others is not
  /// subtracted, and swap is not added.
  ///
  /// - Complexity: opens and reads 2 small kernel files and up to 2 for each control group on the way up, about 0.2 ms.
  ///   Does not suspend, waits for no disk, and never fails.
  ///
  /// Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.
  public static var processMemory: ByteCount { SystemMemory.limit }
}
