package import SystemPackage

/// A call to a simulated disk, as the code that decides what goes wrong sees it.
package struct DiskCall: Sendable {
  package enum Kind: Int, CaseIterable, Sendable {
    case read, readResident, write, beginWriting, allocate, truncate, sync, lock, unlock
    case create, open, remove, rename, makeDirectory, openDirectory, removeDirectory, names, syncDirectory
    case status, setMode, freeByteCount

    /// Whether it changes what the disk holds, or what of it is durable.
    package var isChange: Bool {
      switch self {
      case .write, .allocate, .truncate, .sync, .create, .remove, .rename, .makeDirectory, .removeDirectory,
        .syncDirectory, .setMode:
        true
      default: false
      }
    }
  }

  package var kind: Kind
  /// What the file or directory was called when it was opened, or is to be called; of a directory made by its path, the
  /// last component.
  package var name: String
  package var offset = 0
  package var byteCount = 0
  /// Calls of this kind before it, since the faults were set.
  package var number = 0
  /// Calls of any kind before it, since the faults were set.
  package var position = 0
}

/// What goes wrong with a call.
package struct DiskFault: Sendable {
  package enum End: Sendable {
    /// It succeeds after all.
    case success
    case error(Errno)
    /// The process is dead.
    case crash
  }

  /// What runs first, on the calling thread and outside of all locks: it may block, or move a clock.
  package var delay: (@Sendable () -> Void)?
  package var end: End
  /// Of a write that fails or crashes: the bytes that are written nevertheless, from the start on.
  package var written = 0

  /// Nothing is done. Pages that a failed sync leaves behind will not be written by the next one either, as on Linux:
  /// Rebello et al., "Can applications recover from fsync failures?", ATC 2020.
  package static func fail(_ errno: Errno) -> DiskFault { DiskFault(end: .error(errno)) }

  /// A write ends in the middle.
  package static func tear(after written: Int, _ errno: Errno = .ioError) -> DiskFault {
    DiskFault(end: .error(errno), written: written)
  }

  /// The process ends here: kill -9. Of a write, `written` bytes are there.
  package static func crash(after written: Int = 0) -> DiskFault { DiskFault(end: .crash, written: written) }

  /// The call waits, then succeeds.
  package static func delay(_ delay: @escaping @Sendable () -> Void) -> DiskFault {
    DiskFault(delay: delay, end: .success)
  }
}
