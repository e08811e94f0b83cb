import SystemPackage

/// A control group whose limits bind this process: its own, or one above it.
///
/// Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
struct ControlGroup: Equatable, Sendable {
  enum Version: Sendable { case v1, v2 }

  let version: Version
  let directory: FilePath

  /// The groups of the process, the nearest first: of both versions, since a system may have both at once.
  /// `membership`: as in `/proc/self/cgroup`.
  static func all(_ membership: KernelText, _ mounts: [ControlGroupMount]) -> [ControlGroup] {
    var groups: [ControlGroup] = []
    for line in membership.lines {
      guard let (version, path) = parse(line) else { continue }
      // Of several mounts use the one that shows most; of equal ones the last, which covers the others.
      var seen: [FilePath] = []
      for mount in mounts where mount.version == version {
        let directories = mount.directories(of: path)
        if directories.count >= seen.count { seen = directories }
      }
      groups += seen.map { ControlGroup(version: version, directory: $0) }
    }
    return groups
  }

  /// Parses `0::/path` and `4:cpu,memory:/path`.
  private static func parse(_ line: KernelText) -> (Version, [KernelText])? {
    let fields = line.bytes.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
      .map(KernelText.init)
    // The kernel makes no paths longer than this.
    guard fields.count == 3, fields[2].bytes.count <= 4096 else { return nil }
    let path = fields[2].parts("/")
    if fields[0] == "0", fields[1].bytes.isEmpty { return (.v2, path) }
    return fields[1].parts(",").contains { $0 == "memory" } ? (.v1, path) : nil
  }

  // MARK: memory

  /// The bytes that the group may use, if that is limited.
  func limit(_ files: SystemFiles) -> Int? {
    switch version {
    case .v2:
      // Above `high` the kernel slows the group down until it is below again, so it counts as a limit too.
      return smallest(files.number(path("memory.max")), files.number(path("memory.high")))
    case .v1:
      // The second one also counts groups above the mount.
      let above = files.text(path("memory.stat"))?.number(of: "hierarchical_memory_limit")
      return smallest(files.number(path("memory.limit_in_bytes")), above)
    }
  }

  /// The used part of the limit, without page cache that the kernel would rather drop than keep.
  func used(_ files: SystemFiles) -> Double? {
    guard let account = account(files) else { return nil }
    // The two are from different moments.
    return Double(max(0, account.usage - account.inactiveFile)) / Double(max(1, account.limit))
  }

  /// The memory that the limit leaves. The kernel would drop page cache for more: of what was used lately, half counts, since the
  /// programs themselves are there, too.
  func left(_ files: SystemFiles) -> MemoryLeft? {
    account(files).map {
      let droppable = min(max(0, $0.usage), $0.inactiveFile + $0.activeFile / 2)
      return MemoryLeft(limit: $0.limit, free: $0.limit - $0.usage + droppable)
    }
  }

  private func account(_ files: SystemFiles) -> (limit: Int, usage: Int, inactiveFile: Int, activeFile: Int)? {
    guard let limit = limit(files),
      let usage = files.number(path(version == .v2 ? "memory.current" : "memory.usage_in_bytes"))
    else { return nil }
    let stat = files.text(path("memory.stat"))
    let (inactive, active) =
      version == .v2
      ? (stat?.number(of: "inactive_file"), stat?.number(of: "active_file"))
      : (stat?.number(of: "total_inactive_file"), stat?.number(of: "total_active_file"))
    return (limit, usage, min(inactive ?? 0, 1 << 60), min(active ?? 0, 1 << 60))
  }

  /// The shares of time in which the group's tasks wait for memory.
  func stalls(_ files: SystemFiles) -> StallShares { StallShares(files.text(path("memory.pressure"))) }

  private func path(_ name: FilePath.Component) -> FilePath { directory.appending(name) }

  /// The smallest actual limit: version 1 reports "no limit" as a number near 2^63.
  private func smallest(_ limits: Int?...) -> Int? { limits.compactMap { $0 }.filter { $0 < 1 << 62 }.min() }
}

/// A directory that shows control groups with memory accounting.
///
/// Source: proc_pid_mountinfo(5), cgroup_namespaces(7).
struct ControlGroupMount: Equatable, Sendable {
  let version: ControlGroup.Version
  /// The names on the way to the group that is shown at ``point``. If they begin with `..`, the group lies above this
  /// process's root, in a namespace.
  let root: [KernelText]
  let point: KernelText

  static func all(in table: KernelText) -> [ControlGroupMount] { table.lines.compactMap(ControlGroupMount.init) }

  /// Parses `31 23 0:28 /root /point rw,relatime shared:9 - cgroup2 cgroup2 rw`.
  private init?(line: KernelText) {
    let words = line.words
    // Optional fields, any number of them, end with a dash.
    guard let dash = words.dropFirst(6).firstIndex(where: { $0 == "-" }), dash + 1 < words.count else { return nil }
    if words[dash + 1] == "cgroup2" {
      version = .v2
    } else if words[dash + 1] == "cgroup", words[words.count - 1].parts(",").contains(where: { $0 == "memory" }) {
      version = .v1
    } else {
      return nil
    }
    root = words[3].unescaped.parts("/")
    point = words[4].unescaped
  }

  /// The directories of `group` and its ancestors, the nearest first, as far as this mount shows them.
  func directories(of group: [KernelText]) -> [FilePath] {
    let top = FilePath(point)
    guard group.starts(with: root) else {
      // A root above the namespace tells only that this process lies below it.
      return !root.isEmpty && root.allSatisfy { $0 == ".." } ? [top] : []
    }
    let names = group.dropFirst(root.count)
    // A group outside the namespace, which no directory here shows.
    guard !names.contains(where: { $0 == ".." }) else { return [] }
    var directories = [top]
    for name in names { directories.append(directories[directories.count - 1].appending(FilePath(name).components)) }
    return directories.reversed()
  }
}
