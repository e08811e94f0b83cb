import RangeIO
import SystemPackage

/// A file, directory or link of a simulated disk.
///
/// Unchecked, as those below: they are reached under the disk's lock only.
class DiskNode: @unchecked Sendable {
  var owner: UInt32
  var mode: UInt32
  /// Whether a directory names it.
  var isLinked = true
  /// What it is open by.
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

  /// Whether `user` may do all that `bits` mean, three as in a mode.
  func permits(_ bits: UInt32, to user: UInt32) -> Bool {
    let granted = owner == user ? mode >> 6 : mode
    return granted & bits == bits
  }

  func require(_ bits: UInt32, for user: UInt32) throws(Errno) {
    guard permits(bits, to: user) else { throw .permissionDenied }
  }

  /// Makes durable what can be.
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

  /// flock(2): what was locked before is unlocked first, even if the new lock cannot be had.
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

/// What is not followed.
final class DiskLink: DiskNode, @unchecked Sendable {}
