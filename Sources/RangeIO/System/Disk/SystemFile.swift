import CRangeIOSystem
package import SystemPackage

/// An open file of this machine.
package final class SystemFile: SpillFile {
  private let descriptor: CInt

  /// Takes `descriptor` over.
  init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { rio_close(descriptor) }

  package func status() throws(Errno) -> DiskStatus {
    var raw = rio_disk_stat()
    try rio_disk_stat(descriptor, &raw).orThrow()
    return DiskStatus(raw)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try Syscalls.system.readFully(descriptor, buffer, at: offset)
  }

  package func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? {
    try Syscalls.system.readWhatIsResident(descriptor, buffer, at: offset)
  }

  package func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) {
    try GatheredBuffers(parts).write(at: offset) {
      Int(rio_disk_pwritev(descriptor, $0.baseAddress, CInt($0.count), Int64($1)))
    }
  }

  package func allocate(_ count: Int) throws(Errno) { try rio_disk_allocate(descriptor, Int64(count)).orThrow() }

  package func truncate(_ count: Int) throws(Errno) { try rio_disk_truncate(descriptor, Int64(count)).orThrow() }

  package func sync() throws(Errno) { try rio_disk_sync_file(descriptor).orThrow() }

  package func lock(exclusively: Bool) throws(Errno) -> Bool {
    try rio_disk_lock(descriptor, exclusively).orThrow() != 0
  }

  package func unlock() throws(Errno) { try rio_disk_unlock(descriptor).orThrow() }

  package func beginWriting(_ count: Int, at offset: Int) {
    rio_disk_begin_writing(descriptor, Int64(count), Int64(offset))
  }
}
