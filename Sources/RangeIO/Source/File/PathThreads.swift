import SystemPackage

/// The threads that follow paths, and the threads that ask servers. A call to a hanging server keeps its thread, even
/// after its caller has left. So calls to one server never share threads with calls that are known to go elsewhere.
///
/// **Remote files.** Each remote file system has up to 64 threads of its own. They read, check and close its files,
/// check their paths, and reopen them. A server that hangs delays only the files of its own file systems.
///
/// **Local files** that are open use no thread that a server can keep, except for checks of their paths. These have 64
/// threads of their own, where a call hangs only if the path now leads to a server.
///
/// **First openings.** The threads of a remote file system open a path if an earlier opening has shown that the path,
/// or a directory above it, is on that file system. The ``opening`` threads, 64 for all, open every other path. So one
/// case remains: 64 openings on a hanging server, of which no file was opened before, delay the first opening of local
/// files until the server answers. They do not delay open files.
final class PathThreads: Sendable {
  /// The threads of the process.
  package static let shared = PathThreads { IOThreads(limit: 64) }

  private struct State {
    /// The threads of each remote file system, by its device. Systems reuse device numbers after unmounting, so there
    /// are about as many as were ever mounted at once.
    var servers: [UInt64: IOThreads] = [:]
    /// Paths on remote file systems, as high up as those reach: at most ``maxRoots``.
    var roots: [FilePath: UInt64] = [:]
  }

  /// The most paths remembered as remote. If there are more, all are forgotten and learned again.
  private static let maxRoots = 256

  /// For paths whose destination is unknown.
  package let opening: IOThreads
  /// For paths that led to a local file.
  package let local: IOThreads
  /// For adopted descriptors that were never used: where their files are is unknown.
  let unknown: IOThreads
  private let make: @Sendable () -> IOThreads
  private let state = Locked(State())

  /// - Parameter make: creates threads, each time for one server or one purpose.
  init(_ make: @escaping @Sendable () -> IOThreads) {
    self.make = make
    (opening, local, unknown) = (make(), make(), make())
  }

  /// The threads of the remote file system on `device`.
  func server(_ device: UInt64) -> IOThreads {
    state.withLock { state in
      if let threads = state.servers[device] { return threads }
      let threads = make()
      state.servers[device] = threads
      return threads
    }
  }

  /// The threads for opening `path` the first time; `nil` means a descriptor. Asks no server.
  package func threads(toOpen path: FilePath?) -> IOThreads {
    guard let path, state.withLock({ !$0.roots.isEmpty }) else { return opening }
    return root(of: FilePathExpansion.absolute(path)).map { server($0.device) } ?? opening
  }

  /// Notes that `path`, which is absolute, led to a file on the remote file system on `device`, and how high up that
  /// reaches. May ask the server.
  func learn(_ path: FilePath, leadsTo device: UInt64, _ statusOfPath: Syscalls.StatusOfPath) {
    guard let place = Self.withoutDots(path), root(of: place)?.device != device else { return }
    var (highest, above) = (place, place.removingLastComponent())
    while !above.components.isEmpty, Self.device(of: above, statusOfPath) == device {
      (highest, above) = (above, above.removingLastComponent())
    }
    // If everything is on one file system, higher directories tell nothing.
    if above.components.isEmpty, Self.device(of: above, statusOfPath) == device { highest = place }
    state.withLock { state in
      if state.roots.count >= Self.maxRoots { state.roots.removeAll() }
      state.roots[highest] = device
    }
  }

  /// Notes that `path`, which is absolute, led to a local file.
  func learnLocal(_ path: FilePath) {
    guard state.withLock({ !$0.roots.isEmpty }), let root = root(of: path) else { return }
    state.withLock { $0.roots[root.path] = nil }
  }

  /// The root of a remote file system that is remembered at or above `path`, and its device.
  private func root(of path: FilePath) -> (path: FilePath, device: UInt64)? {
    guard var place = Self.withoutDots(path) else { return nil }
    return state.withLock { state in
      while !place.components.isEmpty {
        if let device = state.roots[place] { return (place, device) }
        place.removeLastComponent()
      }
      return nil
    }
  }

  /// `path` without `.` components; `nil` if its text does not tell which directories it goes through.
  private static func withoutDots(_ path: FilePath) -> FilePath? {
    guard path.isAbsolute, !path.components.contains(where: { $0.kind == .parentDirectory }) else { return nil }
    return path.lexicallyNormalized()
  }

  private static func device(of path: FilePath, _ statusOfPath: Syscalls.StatusOfPath) -> UInt64? {
    var status = FileStatus()
    return statusOfPath(path, &status) >= 0 ? status.device : nil
  }
}
