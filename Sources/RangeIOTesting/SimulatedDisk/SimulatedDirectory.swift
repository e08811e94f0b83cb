package import RangeIO
package import SystemPackage

/// An open directory of a simulated disk.
package final class SimulatedDirectory: SpillDirectory {
  private let node: DiskDirectory
  private let name: String
  private let process: SimulatedProcess

  init(_ node: DiskDirectory, name: String, _ process: SimulatedProcess) {
    self.node = node
    self.name = name
    self.process = process
  }

  private var user: UInt32 { process.user }

  private func perform<Result: Sendable>(
    _ kind: DiskCall.Kind, _ name: String? = nil,
    _ body: (inout SimulatedDisk.State) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    if let name { try check(name) }
    return try process.disk.perform(DiskCall(kind: kind, name: name ?? self.name), by: process, body)
  }

  /// Throws unless `name` is a single component, as a real directory requires.
  private func check(_ name: String) throws(Errno) {
    let isOne =
      !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    guard isOne else { throw .invalidArgument }
  }

  /// Throws unless names may be added and removed here.
  private func requireWritable() throws(Errno) {
    guard node.isLinked else { throw .noSuchFileOrDirectory }
    try node.require(0o3, for: user)
  }

  private func add(_ name: String, _ new: DiskNode) throws(Errno) {
    guard node.entries[name] == nil else { throw .fileExists }
    try requireWritable()
    node.link(name, new)
  }

  package func status() throws(Errno) -> DiskStatus { try perform(.status) { _ in node.status } }

  package func setMode(_ mode: UInt32) throws(Errno) {
    try perform(.setMode) { (_) throws(Errno) in
      guard node.owner == user else { throw .notPermitted }
      node.mode = mode
    }
  }

  package func names() throws(Errno) -> [String] {
    // Callers must not rely on an order, least of all the natural one; but each run has the same order.
    try perform(.names) { (_) throws(Errno) in
      // A real directory is opened again to be listed.
      try process.requireDescriptor()
      return node.entries.keys.sorted(by: >)
    }
  }

  package func status(of name: String) throws(Errno) -> DiskStatus {
    try perform(.status, name) { (_) throws(Errno) in try node.entry(name).status }
  }

  package func create(_ name: String) throws(Errno) -> any SpillFile {
    let (file, handle) = try perform(.create, name) { (state) throws(Errno) -> (DiskFile, Int) in
      try process.requireDescriptor()
      let file = DiskFile(owner: user, mode: 0o600)
      try add(name, file)
      return (file, process.open(file, &state))
    }
    return SimulatedFile(file, handle, name: name, writing: true, process)
  }

  package func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile {
    let (opened, handle) = try perform(.open, name) { (state) throws(Errno) -> (DiskNode, Int) in
      let entry = try node.entry(name)
      if entry is DiskLink { throw .tooManySymbolicLinkLevels }
      try entry.require(writing ? 0o6 : 0o4, for: user)
      if writing, entry is DiskDirectory { throw .isDirectory }
      try process.requireDescriptor()
      return (entry, process.open(entry, &state))
    }
    return SimulatedFile(opened, handle, name: name, writing: writing, process)
  }

  package func remove(_ name: String) throws(Errno) {
    try perform(.remove, name) { (state) throws(Errno) in
      let entry = try node.entry(name)
      if entry is DiskDirectory { throw .isDirectory }
      try requireWritable()
      node.unlink(name, entry)
      state.release(entry)
    }
  }

  package func rename(_ name: String, to new: String) throws(Errno) {
    try check(new)
    try perform(.rename, name) { (state) throws(Errno) in
      let entry = try node.entry(name)
      let replaced = node.entries[new]
      if replaced === entry { return }
      try requireWritable()
      if let replaced {
        if entry is DiskDirectory {
          guard try state.directory(replaced).entries.isEmpty else { throw .directoryNotEmpty }
        } else if replaced is DiskDirectory {
          throw .isDirectory
        }
      }
      node.rename(name, to: new, entry)
      if let replaced { state.release(replaced) }
    }
  }

  package func makeDirectory(_ name: String) throws(Errno) {
    try perform(.makeDirectory, name) { (_) throws(Errno) in
      try add(name, DiskDirectory(owner: user, mode: 0o700))
    }
  }

  package func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory {
    let directory = try perform(.openDirectory, name) { (_) throws(Errno) in
      let directory = try SimulatedProcess.directory(try node.entry(name))
      try directory.require(0o4, for: user)
      return directory
    }
    return SimulatedDirectory(directory, name: name, process)
  }

  package func removeDirectory(_ name: String) throws(Errno) {
    try perform(.removeDirectory, name) { (state) throws(Errno) in
      let directory = try state.directory(try node.entry(name))
      guard directory.entries.isEmpty else { throw .directoryNotEmpty }
      try requireWritable()
      node.unlink(name, directory)
    }
  }

  package func sync() throws(Errno) { try perform(.syncDirectory) { _ in node.sync() } }

  package func freeByteCount() throws(Errno) -> Int {
    try perform(.freeByteCount) { $0.pagesLeft * DiskPages.pageSize }
  }
}
