import SystemPackage

/// A directory that shows control groups with memory accounting.
///
/// Source: proc_pid_mountinfo(5), cgroup_namespaces(7).
struct ControlGroupMount: Equatable, Sendable {
  let version: ControlGroup.Version
  /// The names on the way to the group that is shown at ``point``. If they begin with `..`, the group lies above this
  /// process's root, in a namespace.
  let root: [KernelText]
  /// Where it is shown.
  let point: KernelText

  /// Finds the mounts in a table like `/proc/self/mountinfo`.
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
