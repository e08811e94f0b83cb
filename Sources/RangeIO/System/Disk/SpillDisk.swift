package import SystemPackage

/// The system calls of a spill directory, so that a test can pass in a disk that fails, tears, forgets or hangs.
///
/// All calls may block, unless they say otherwise. None follows a symbolic link. Interrupted calls are repeated inside.
/// Names have one component, and are never the user's.
package protocol SpillDisk: Sendable {
  /// The user that owns files created here.
  var user: UInt32 { get }

  /// Creates a directory of mode 0700, and missing parent directories; their names are durable, where that can be. A
  /// directory that already exists is no error.
  func makeDirectory(_ path: FilePath) throws(Errno)

  /// Opens a directory. Throws `ENOTDIR` or `ELOOP` if `path` ends in something else.
  func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory
}

/// An open directory. Closed when the last reference is released.
package protocol SpillDirectory: AnyObject, Sendable {
  func status() throws(Errno) -> DiskStatus
  /// Changes the mode of the directory itself.
  func setMode(_ mode: UInt32) throws(Errno)
  /// The names in it, without `.` and `..`, in no particular order.
  func names() throws(Errno) -> [String]
  /// The status of the entry `name`. Does not follow a symbolic link.
  func status(of name: String) throws(Errno) -> DiskStatus
  /// Creates a file that must not exist, of mode 0600, for reading and writing.
  func create(_ name: String) throws(Errno) -> any SpillFile
  /// Opens an existing file. Does not block on one that is no regular file; the caller checks its status.
  func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile
  func remove(_ name: String) throws(Errno)
  /// Replaces `new` if it exists.
  func rename(_ name: String, to new: String) throws(Errno)
  /// Creates a directory of mode 0700 that must not exist.
  func makeDirectory(_ name: String) throws(Errno)
  func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory
  /// Removes an empty directory.
  func removeDirectory(_ name: String) throws(Errno)
  /// Makes the creations, renamings and removals in it durable.
  func sync() throws(Errno)
  /// The bytes that this user may still write to the file system; `Int.max` if it does not tell.
  func freeByteCount() throws(Errno) -> Int
}

/// An open file. Closed when the last reference is released.
package protocol SpillFile: AnyObject, Sendable {
  func status() throws(Errno) -> DiskStatus
  /// Fills `buffer` from `offset` until it is full or the file ends.
  ///
  /// - Returns: the number of bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int
  /// Like ``read(into:at:)``, without waiting for the disk.
  ///
  /// - Returns: the number of bytes read, from the start; fewer if not all of them are in memory; `nil` if this file
  ///   system cannot tell.
  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int?
  /// Like ``read(into:at:)``, into several buffers, one after the other.
  func read(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int
  /// Like ``readResident(into:at:)``, into several buffers, one after the other.
  func readResident(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int?
  /// Like ``readResident(into:at:)``, into two buffers, one after the other.
  func readResident(
    into first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int?
  /// Writes all parts, one after the other, from `offset` on. After an error any part of them may have been written.
  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno)
  /// Reserves disk blocks for the first `count` bytes, and makes the file that long. If the file system cannot reserve,
  /// only the length is set.
  func allocate(_ count: Int) throws(Errno)
  func truncate(_ count: Int) throws(Errno)
  /// Makes the file's bytes and length durable.
  func sync() throws(Errno)
  /// Tries to lock the file for this open file, without waiting. Closing the file unlocks it.
  ///
  /// - Returns: whether it is locked now.
  func lock(exclusively: Bool) throws(Errno) -> Bool
  func unlock() throws(Errno)
  /// The processes that have the file open, this one too, as far as the system tells. Never waits.
  var holders: [Int] { get }
  /// Tells the system to start writing `count` bytes from `offset` on to the disk. Never fails.
  func beginWriting(_ count: Int, at offset: Int)
}

extension SpillFile {
  package var holders: [Int] { [] }

  /// Reads one buffer after the other.
  package func read(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int {
    var filled = 0
    for piece in pieces {
      let count = try read(into: piece, at: offset + filled)
      filled += count
      if count < piece.count { break }
    }
    return filled
  }

  /// Reads one buffer after the other.
  package func readResident(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int? {
    var filled = 0
    for piece in pieces {
      guard let count = try readResident(into: piece, at: offset + filled) else { return nil }
      filled += count
      if count < piece.count { break }
    }
    return filled
  }

  package func readResident(
    into first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int? {
    try readResident(into: [first, second], at: offset)
  }
}

/// A disk's report about a file or directory.
package struct DiskStatus: Equatable, Sendable {
  package enum Kind: Equatable, Sendable { case file, directory, other }
  package var kind: Kind
  /// In bytes.
  package var size: Int
  /// The space that it takes on the disk, in bytes.
  package var allocatedSize: Int
  package var owner: UInt32
  /// The lowest twelve bits.
  package var mode: UInt32
  /// The number of its names.
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
