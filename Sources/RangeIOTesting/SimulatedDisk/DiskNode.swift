import RangeIO
import SystemPackage

/// A file, directory or link of a simulated disk.
///
/// Unchecked, like its subclasses: they are only used under the disk's lock.
class DiskNode: @unchecked Sendable {
  var owner: UInt32
  var mode: UInt32
  /// Whether it has a name in a directory.
  var isLinked = true
  /// The open handles.
  private(set) var handles: Set<Int> = []
  private var sharers: Set<Int> = []
  private var excluder: Int?

  init(owner: UInt32, mode: UInt32) {
    self.owner = owner
    self.mode = mode
  }

  var status: DiskStatus {
    DiskStatus(kind: .other, owner: owner, mode: mode, linkCount: isLinked ? 1 : 0)
  }

  /// Whether `user` has all rights in `bits`, which are three as in a mode.
  func permits(_ bits: UInt32, to user: UInt32) -> Bool {
    let granted = owner == user ? mode >> 6 : mode
    return granted & bits == bits
  }

  func require(_ bits: UInt32, for user: UInt32) throws(Errno) {
    guard permits(bits, to: user) else { throw .permissionDenied }
  }

  /// Makes its contents durable.
  func sync() {}

  // MARK: handles

  func open(_ handle: Int) { handles.insert(handle) }

  func close(_ handle: Int) {
    handles.remove(handle)
    unlock(handle)
  }

  func closeAll() {
    handles = []
    sharers = []
    excluder = nil
  }

  /// As flock(2): releases the old lock first, even if the new one is not available.
  func lock(_ handle: Int, exclusively: Bool) -> Bool {
    unlock(handle)
    guard excluder == nil, !exclusively || sharers.isEmpty else { return false }
    if exclusively { excluder = handle } else { sharers.insert(handle) }
    return true
  }

  func unlock(_ handle: Int) {
    sharers.remove(handle)
    if excluder == handle { excluder = nil }
  }
}

/// A symbolic link, which is never followed.
final class DiskLink: DiskNode, @unchecked Sendable {}
