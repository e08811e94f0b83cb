import RangeIO
import SystemPackage

/// A directory: its names now, its names after a power loss, and the changes in between.
final class DiskDirectory: DiskNode, @unchecked Sendable {
  enum Change {
    case link(String, DiskNode)
    case unlink(String, DiskNode)
    case rename(String, to: String, DiskNode)
  }

  private(set) var entries: [String: DiskNode] = [:]
  private(set) var durable: [String: DiskNode] = [:]
  private(set) var changes: [Change] = []

  override var status: DiskStatus {
    DiskStatus(kind: .directory, owner: owner, mode: mode, linkCount: isLinked ? 2 : 0)
  }

  func entry(_ name: String) throws(Errno) -> DiskNode {
    guard let entry = entries[name] else { throw .noSuchFileOrDirectory }
    return entry
  }

  func link(_ name: String, _ node: DiskNode) {
    entries[name] = node
    changes.append(.link(name, node))
  }

  func unlink(_ name: String, _ node: DiskNode) {
    entries[name] = nil
    changes.append(.unlink(name, node))
    node.isLinked = false
  }

  func rename(_ name: String, to new: String, _ node: DiskNode) {
    entries[new]?.isLinked = false
    entries[name] = nil
    entries[new] = node
    changes.append(.rename(name, to: new, node))
  }

  override func sync() {
    durable = entries
    changes = []
  }

  /// Takes over the state after a power loss, or the initial state of a copy.
  func become(entries: [String: DiskNode], durable: [String: DiskNode], changes: [Change]) {
    self.entries = entries
    self.durable = durable
    self.changes = changes
  }
}
