import RangeIO
package import SystemPackage

/// Direct access for tests, without a process. These calls are not counted, do not fail, and check no permissions.
/// Their changes are durable.
extension SimulatedDisk {
  /// The paths of all files, sorted.
  package var files: [FilePath] {
    state.withLock { state in
      var files: [FilePath] = []
      func walk(_ directory: DiskDirectory, _ path: FilePath) {
        for (name, node) in directory.entries {
          switch node {
          case let below as DiskDirectory: walk(below, path.appending(name))
          case is DiskFile: files.append(path.appending(name))
          default: break
          }
        }
      }
      walk(state.root, "/")
      return files.sorted { $0.string < $1.string }
    }
  }

  /// The bytes of a file; `nil` if there is no file at `path`.
  package func contents(of path: FilePath) -> [UInt8]? {
    state.withLock { state in
      guard let file = Self.file(path, state) else { return nil }
      var bytes = [UInt8](repeating: 0, count: file.seen.count)
      _ = bytes.withUnsafeMutableBytes { file.seen.read(into: $0, at: 0) }
      return bytes
    }
  }

  /// Replaces the bytes of a file. Creates the file and the directories above it if necessary.
  package func setContents(of path: FilePath, _ bytes: [UInt8]) {
    state.withLock { state in
      let file = Self.file(path, state) ?? DiskFile(owner: user, mode: 0o600)
      if Self.file(path, state) == nil { place(file, path, state) }
      state.changing(file) { file in
        file.resize(0)
        _ = bytes.withUnsafeBytes { file.write([$0], most: bytes.count, at: 0, room: .max / 2) }
        file.settle()
      }
    }
  }

  /// Flips one bit of a file, counted from the lowest bit of its first byte.
  package func flipBit(of path: FilePath, at bit: Int) {
    change(path) { file in
      var byte: UInt8 = 0
      _ = withUnsafeMutableBytes(of: &byte) { file.seen.read(into: $0, at: bit / 8) }
      byte ^= 1 << (bit % 8)
      _ = withUnsafeBytes(of: byte) { file.write([$0], most: 1, at: bit / 8, room: .max / 2) }
    }
  }

  /// Truncates a file, or makes it longer.
  package func truncateFile(_ path: FilePath, to count: Int) { change(path) { $0.resize(count) } }

  /// Changes the owner or the mode of a file or directory.
  package func setOwner(of path: FilePath, _ owner: UInt32? = nil, mode: UInt32? = nil) {
    state.withLock { state in
      guard let node = Self.node(path, state) else { preconditionFailure("there is no \(path)") }
      if let owner { node.owner = owner }
      if let mode { node.mode = mode }
    }
  }

  /// Creates a symbolic link without a target: links must not be followed.
  package func makeLink(_ path: FilePath) {
    state.withLock { place(DiskLink(owner: user, mode: 0o777), path, $0) }
  }

  /// Makes everything durable, as sync(1) does.
  package func syncEverything() { state.withLock { $0.root.settle() } }

  // MARK: power

  /// Turns the power off and on. All processes are dead. The disk keeps what was durable, and some of the rest, as
  /// `seed` decides. Pages may be torn at multiples of 512 bytes; pages and names may survive in any order.
  package func losePower(seed: UInt64) {
    state.withLock { state in
      var random = SeededGenerator(seed: seed)
      state.life += 1
      state.root.losePower(&random)
      state.pagesUsed = state.root.allocatedPages
    }
  }

  /// Another disk with the same contents, the current and the durable ones, and without processes.
  package func copy() -> SimulatedDisk {
    let copied = state.withLock { state in
      var copies: [ObjectIdentifier: DiskNode] = [:]
      var copied = State(root: state.root.copy(&copies), pageCapacity: state.pageCapacity)
      copied.residency = state.residency
      copied.pagesUsed = copied.root.allocatedPages
      return copied
    }
    return SimulatedDisk(user: user, state: copied)
  }

  // MARK: under the lock

  private func change(_ path: FilePath, _ change: (DiskFile) -> Void) {
    state.withLock { state in
      guard let file = Self.file(path, state) else { preconditionFailure("there is no file at \(path)") }
      state.changing(file) {
        change($0)
        $0.settle()
      }
    }
  }

  private func place(_ node: DiskNode, _ path: FilePath, _ state: State) {
    var names = State.names(of: path)
    guard let last = names.popLast() else { preconditionFailure("there is nothing to be made at \(path)") }
    var directory = state.root
    for name in names {
      let below = directory.entries[name] ?? DiskDirectory(owner: user, mode: 0o700)
      guard let below = below as? DiskDirectory else { preconditionFailure("\(name) is no directory") }
      if directory.entries[name] == nil { directory.settle(name, below) }
      directory = below
    }
    precondition(directory.entries[last] == nil, "there is something at \(path)")
    directory.settle(last, node)
  }

  private static func node(_ path: FilePath, _ state: State) -> DiskNode? {
    do throws(Errno) { return try state.node(State.names(of: path)) } catch { return nil }
  }

  private static func file(_ path: FilePath, _ state: State) -> DiskFile? { node(path, state) as? DiskFile }
}
