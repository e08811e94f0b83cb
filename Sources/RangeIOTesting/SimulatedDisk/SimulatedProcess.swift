package import RangeIO
package import SystemPackage

/// A process that uses a simulated disk, until it crashes.
///
/// Unchecked: mutable state is only used under the disk's lock.
package final class SimulatedProcess: SpillDisk, @unchecked Sendable {
  let disk: SimulatedDisk
  private let life: Int
  private var isDead = false
  private var open: [Int: DiskNode] = [:]
  private var mostOpen: Int
  private var descriptorsLeft: Int

  init(_ disk: SimulatedDisk, life: Int, descriptors: Int) {
    self.disk = disk
    self.life = life
    descriptorsLeft = descriptors
    mostOpen = 0
  }

  /// The most files it may have open at the same time: opening more fails with `EMFILE`. May be less than the number
  /// open now.
  package var descriptors: Int {
    get { disk.state.withLock { _ in descriptorsLeft + open.count } }
    set { disk.state.withLock { _ in descriptorsLeft = newValue - open.count } }
  }

  /// The most files that it ever had open at the same time.
  package var mostOpenFiles: Int { disk.state.withLock { _ in mostOpen } }

  package var user: UInt32 { disk.user }

  /// Ends the process, as kill -9 does. What it wrote stays; its files are closed and its locks released. All its later
  /// calls throw `EBADF` and change nothing.
  package func crash() { disk.state.withLock { die(&$0) } }

  package func makeDirectory(_ path: FilePath) throws(Errno) {
    let names = SimulatedDisk.State.names(of: path)
    try disk.perform(DiskCall(kind: .makeDirectory, name: names.last ?? ""), by: self) { (state) throws(Errno) in
      var directory = state.root
      for name in names {
        if let entry = directory.entries[name] {
          directory = try Self.directory(entry)
        } else {
          try directory.require(0o3, for: user)
          let new = DiskDirectory(owner: user, mode: 0o700)
          directory.settle(name, new)
          directory = new
        }
      }
    }
  }

  package func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory {
    let names = SimulatedDisk.State.names(of: path)
    let name = names.last ?? ""
    let node = try disk.perform(DiskCall(kind: .openDirectory, name: name), by: self) { (state) throws(Errno) in
      let directory = try Self.directory(try state.node(names))
      try directory.require(0o4, for: user)
      return directory
    }
    return SimulatedDirectory(node, name: name, self)
  }

  static func directory(_ node: DiskNode) throws(Errno) -> DiskDirectory {
    if node is DiskLink { throw .tooManySymbolicLinkLevels }
    guard let directory = node as? DiskDirectory else { throw .notDirectory }
    return directory
  }

  // MARK: under the disk's lock

  func isAlive(in state: SimulatedDisk.State) -> Bool { !isDead && life == state.life }

  func die(_ state: inout SimulatedDisk.State) {
    guard isAlive(in: state) else { return }
    isDead = true
    for handle in open.keys { close(handle, &state) }
  }

  func requireDescriptor() throws(Errno) {
    if descriptorsLeft <= 0 { throw .tooManyOpenFiles }
  }

  func open(_ node: DiskNode, _ state: inout SimulatedDisk.State) -> Int {
    state.nextHandle += 1
    node.open(state.nextHandle)
    open[state.nextHandle] = node
    descriptorsLeft -= 1
    mostOpen = max(mostOpen, open.count)
    return state.nextHandle
  }

  /// Does nothing if a crash has already closed the handle.
  func close(_ handle: Int, _ state: inout SimulatedDisk.State) {
    guard life == state.life, let node = open.removeValue(forKey: handle) else { return }
    descriptorsLeft += 1
    node.close(handle)
    state.release(node)
  }
}
