import SystemPackage

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

  /// Reads the current values.
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
