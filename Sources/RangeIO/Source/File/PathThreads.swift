package import SystemPackage

/// The threads that follow paths, and those that ask servers. A call to a server that hangs keeps its thread, even after its
/// caller has left, so what may ask one server never shares threads with anything else that is known to be elsewhere.
///
/// **Remote files.** Each remote file system has up to 64 threads of its own. They read, look at and close its files, look at
/// their paths, and open those anew. A server that hangs delays the files of its own file systems only.
///
/// **Local files** that are open use no thread that a server can keep, except for looks at their paths: these have 64 threads
/// of their own, where a call hangs only if the path has come to lead to a server since.
///
/// **First openings.** A path is opened by the threads of a remote file system if an earlier opening has shown that the path,
/// or a directory above it, is on that file system. Every other path is opened by ``opening``, 64 threads for all. So one case
/// remains: 64 openings on a server that hangs, and of which no file was opened before, delay the first opening of local
/// files until the server answers. They do not delay what is open.
package final class PathThreads: Sendable {
  /// Those of the process.
  package static let shared = PathThreads { IOThreads(limit: 64) }

  private struct State {
    /// The threads of each remote file system, by its device. Systems number devices anew when file systems go, so that there
    /// are about as many as were ever mounted at once.
    var servers: [UInt64: IOThreads] = [:]
    /// Paths on remote file systems, as far up as those go: at most ``mostRoots``.
    var roots: [FilePath: UInt64] = [:]
  }

  /// So many paths are known to be on remote file systems. All are forgotten, and learned again, when there are more.
  private static let mostRoots = 256

  /// For paths of which it is not known where they lead.
  package let opening: IOThreads
  /// For paths that led to a local file.
  package let local: IOThreads
  /// For descriptors that were handed over and never used, so that it is not known where their files are.
  package let unknown: IOThreads
  private let make: @Sendable () -> IOThreads
  private let state = Locked(State())

  /// - Parameter make: makes threads, each time those of a server or of one purpose.
  package init(_ make: @escaping @Sendable () -> IOThreads) {
    self.make = make
    (opening, local, unknown) = (make(), make(), make())
  }

  /// The threads of the remote file system that is `device`.
  package func server(_ device: UInt64) -> IOThreads {
    state.withLock { state in
      if let threads = state.servers[device] { return threads }
      let threads = make()
      state.servers[device] = threads
      return threads
    }
  }

  /// The threads to open `path` on for the first time; `nil`: a descriptor. Asks no server.
  package func threads(toOpen path: FilePath?) -> IOThreads {
    guard let path, state.withLock({ !$0.roots.isEmpty }) else { return opening }
    return root(of: FilePathExpansion.absolute(path)).map { server($0.device) } ?? opening
  }

  /// Notes that `path`, which is absolute, has led to a file on the remote file system that is `device`, and how far up that
  /// goes. May ask the server.
  package func learn(_ path: FilePath, leadsTo device: UInt64, _ statusOfPath: Syscalls.StatusOfPath) {
    guard let place = Self.withoutDots(path), root(of: place)?.device != device else { return }
    var (highest, above) = (place, place.removingLastComponent())
    while !above.components.isEmpty, Self.device(of: above, statusOfPath) == device {
      (highest, above) = (above, above.removingLastComponent())
    }
    // Where everything is on one file system, paths tell nothing.
    if above.components.isEmpty, Self.device(of: above, statusOfPath) == device { highest = place }
    state.withLock { state in
      if state.roots.count >= Self.mostRoots { state.roots.removeAll() }
      state.roots[highest] = device
    }
  }

  /// Notes that `path`, which is absolute, has led to a local file.
  package func learnLocal(_ path: FilePath) {
    guard state.withLock({ !$0.roots.isEmpty }), let root = root(of: path) else { return }
    state.withLock { $0.roots[root.path] = nil }
  }

  /// What is known of `path` or the directories above it.
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

  /// `path` without components that mean nothing; `nil` if it cannot be told from its text which directories it goes through.
  private static func withoutDots(_ path: FilePath) -> FilePath? {
    guard path.isAbsolute, !path.components.contains(where: { $0.kind == .parentDirectory }) else { return nil }
    return path.lexicallyNormalized()
  }

  private static func device(of path: FilePath, _ statusOfPath: Syscalls.StatusOfPath) -> UInt64? {
    var status = FileStatus()
    return statusOfPath(path, &status) >= 0 ? status.device : nil
  }
}
