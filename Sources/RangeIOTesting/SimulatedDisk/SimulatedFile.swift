package import RangeIO
package import SystemPackage

/// An open file of a simulated disk.
package final class SimulatedFile: SpillFile {
  /// May be a directory opened as a file. Its calls then fail accordingly.
  private let node: DiskNode
  private let handle: Int
  private let name: String
  private let isWritable: Bool
  private let process: SimulatedProcess

  init(_ node: DiskNode, _ handle: Int, name: String, writing: Bool, _ process: SimulatedProcess) {
    self.node = node
    self.handle = handle
    self.name = name
    isWritable = writing
    self.process = process
  }

  deinit { process.disk.state.withLock { process.close(handle, &$0) } }

  private func call(_ kind: DiskCall.Kind, _ byteCount: Int = 0, at offset: Int = 0) -> DiskCall {
    DiskCall(kind: kind, name: name, offset: offset, byteCount: byteCount)
  }

  private func file() throws(Errno) -> DiskFile {
    guard let file = node as? DiskFile else { throw .isDirectory }
    return file
  }

  private func writableFile(otherwise errno: Errno = .badFileDescriptor) throws(Errno) -> DiskFile {
    guard isWritable else { throw errno }
    return try file()
  }

  package func status() throws(Errno) -> DiskStatus {
    try process.disk.perform(call(.status), by: process) { _ in node.status }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    guard offset >= 0 else { throw .invalidArgument }
    return try process.disk.perform(call(.read, buffer.count, at: offset), by: process) { (_) throws(Errno) in
      try file().seen.read(into: buffer, at: offset)
    }
  }

  package func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? {
    guard offset >= 0 else { throw .invalidArgument }
    return try process.disk.perform(call(.readResident, buffer.count, at: offset), by: process) {
      (state) throws(Errno) -> Int? in
      switch state.residency {
      case .everything: return try file().seen.read(into: buffer, at: offset)
      case .nothing: return 0
      case .unknown: return nil
      }
    }
  }

  package func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) {
    guard offset >= 0 else { throw .invalidArgument }
    let total = parts.reduce(0) { $0 + $1.count }
    let file = try writableFile()
    func write(_ most: Int, _ state: inout SimulatedDisk.State) -> Int {
      let room = state.pagesLeft
      return state.changing(file) { $0.write(parts, most: most, at: offset, room: room) }
    }
    try process.disk.perform(
      call(.write, total, at: offset), by: process, failing: { _ = write(min($1.written, total), &$0) }
    ) { (state) throws(Errno) in
      guard write(total, &state) == total else { throw .noSpace }
    }
  }

  package func allocate(_ count: Int) throws(Errno) {
    let file = try writableFile()
    try process.disk.perform(call(.allocate, count), by: process) { (state) throws(Errno) in
      let room = state.pagesLeft
      try state.changing(file) { (file) throws(Errno) in try file.allocate(count, room: room) }
    }
  }

  package func truncate(_ count: Int) throws(Errno) {
    let file = try writableFile(otherwise: .invalidArgument)
    guard count >= 0 else { throw .invalidArgument }
    try process.disk.perform(call(.truncate, count), by: process) { state in
      state.changing(file) { $0.resize(count) }
    }
  }

  package func sync() throws(Errno) {
    func fail(_ fault: DiskFault) {
      // A process that ends in its midst leaves bytes that are still to be written.
      if case .error = fault.end { (node as? DiskFile)?.failSync() }
    }
    try process.disk.perform(call(.sync), by: process, failing: { fail($1) }) { _ in node.sync() }
  }

  package func lock(exclusively: Bool) throws(Errno) -> Bool {
    try process.disk.perform(call(.lock), by: process) { _ in node.lock(handle, exclusively: exclusively) }
  }

  package func unlock() throws(Errno) {
    try process.disk.perform(call(.unlock), by: process) { _ in node.unlock(handle) }
  }

  package func beginWriting(_ count: Int, at offset: Int) {
    // It cannot fail, so it is only counted, and waits if a test wants that.
    do throws(Errno) {
      try process.disk.perform(call(.beginWriting, count, at: offset), by: process) { _ in }
    } catch {
      return
    }
  }
}
