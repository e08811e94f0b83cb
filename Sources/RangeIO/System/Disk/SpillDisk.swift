package import SystemPackage

/// The system calls that a spill directory takes, so that a test can hand in a disk that fails, tears, forgets or hangs.
///
/// All calls may block, but for those that say otherwise. Nothing follows a symbolic link. Interrupted calls are
/// repeated inside. Names are of one component, and never the user's.
package protocol SpillDisk: Sendable {
  /// The user whom files belong to that are made here.
  var user: UInt32 { get }

  /// Makes a directory of mode 0700, and those above it that are missing. One that is there already is no error.
  func makeDirectory(_ path: FilePath) throws(Errno)

  /// Opens a directory. `ENOTDIR` or `ELOOP` if `path` ends in something else.
  func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory
}

/// An open directory. Closed when the last reference goes.
package protocol SpillDirectory: AnyObject, Sendable {
  func status() throws(Errno) -> DiskStatus
  /// Changes the mode of the directory itself.
  func setMode(_ mode: UInt32) throws(Errno)
  /// The names in it, without `.` and `..`, in no order.
  func names() throws(Errno) -> [String]
  /// The status of what is called `name`, which is not followed.
  func status(of name: String) throws(Errno) -> DiskStatus
  /// Makes a file that must not exist, of mode 0600, for reading and writing.
  func create(_ name: String) throws(Errno) -> any SpillFile
  /// Opens a file that exists. Does not block on one that is no regular file; the caller looks at its status.
  func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile
  func remove(_ name: String) throws(Errno)
  /// Replaces `new` if it exists.
  func rename(_ name: String, to new: String) throws(Errno)
  /// Makes a directory of mode 0700 that must not exist.
  func makeDirectory(_ name: String) throws(Errno)
  func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory
  /// Removes an empty directory.
  func removeDirectory(_ name: String) throws(Errno)
  /// Makes what was created, renamed and removed in it durable.
  func sync() throws(Errno)
  /// The bytes that this user may still write to the file system.
  func freeByteCount() throws(Errno) -> Int
}

/// An open file. Closed when the last reference goes.
package protocol SpillFile: AnyObject, Sendable {
  func status() throws(Errno) -> DiskStatus
  /// Fills `buffer` from `offset` until it is full or the file ends.
  ///
  /// - Returns: the bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int
  /// As ``read(into:at:)``, without waiting for the disk.
  ///
  /// - Returns: the bytes read, from the start on; fewer if not all of them are in memory; `nil` if this file system
  ///   cannot tell.
  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int?
  /// As ``read(into:at:)``, into several buffers, one after the other.
  func read(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int
  /// As ``readResident(into:at:)``, into several buffers, one after the other.
  func readResident(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int?
  /// Writes all parts, one after the other, from `offset` on. After an error any part of them may have been written.
  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno)
  /// Sets blocks aside for the first `count` bytes, and makes the file that long. Where the file system cannot, only the
  /// length is set.
  func allocate(_ count: Int) throws(Errno)
  func truncate(_ count: Int) throws(Errno)
  /// Makes the file's bytes and length durable.
  func sync() throws(Errno)
  /// Tries to lock the file for this open file, without waiting; unlocked when it is closed.
  ///
  /// - Returns: whether it is locked now.
  func lock(exclusively: Bool) throws(Errno) -> Bool
  func unlock() throws(Errno)
  /// Tells the system that the bytes from `offset` on will be written to the disk soon, so that it begins. Never fails.
  func beginWriting(_ count: Int, at offset: Int)
}

extension SpillFile {
  /// One buffer after the other.
  package func read(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int {
    var filled = 0
    for piece in pieces {
      let count = try read(into: piece, at: offset + filled)
      filled += count
      if count < piece.count { break }
    }
    return filled
  }

  /// One buffer after the other.
  package func readResident(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int? {
    var filled = 0
    for piece in pieces {
      guard let count = try readResident(into: piece, at: offset + filled) else { return nil }
      filled += count
      if count < piece.count { break }
    }
    return filled
  }
}

/// What a disk tells about a file or directory.
package struct DiskStatus: Equatable, Sendable {
  package enum Kind: Equatable, Sendable { case file, directory, other }
  package var kind: Kind
  /// In bytes.
  package var size: Int
  /// What it takes of the disk, in bytes.
  package var allocatedSize: Int
  package var owner: UInt32
  /// The lowest twelve bits.
  package var mode: UInt32
  /// Names that it has.
  package var linkCount: Int

  package init(
    kind: Kind, size: Int = 0, allocatedSize: Int = 0, owner: UInt32 = 0, mode: UInt32 = 0o600, linkCount: Int = 1
  ) {
    self.kind = kind
    self.size = size
    self.allocatedSize = allocatedSize
    self.owner = owner
    self.mode = mode
    self.linkCount = linkCount
  }
}
