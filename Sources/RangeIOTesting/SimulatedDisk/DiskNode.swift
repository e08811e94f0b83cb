import RangeIO
import SystemPackage

/// A file, directory or link of a simulated disk.
///
/// Unchecked, like its subclasses: they are only used under the disk's lock.
class DiskNode: @unchecked Sendable {
  var owner: UInt32
  var mode: UInt32
  /// It has a name in a directory.
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

  /// `true` if `user` has all rights in `bits`, which are three as in a mode.
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

extension DiskDirectory {
  /// The pages that all files in this directory and below it use.
  var allocatedPages: Int {
    entries.values.reduce(0) { pages, node in
      switch node {
      case let directory as DiskDirectory: pages + directory.allocatedPages
      case let file as DiskFile: pages + file.seen.allocated
      default: pages
      }
    }
  }

  /// Makes the directory and everything below it durable.
  func settle() {
    sync()
    for node in entries.values {
      (node as? DiskDirectory)?.settle()
      (node as? DiskFile)?.settle()
    }
  }

  /// Adds a durable name.
  func settle(_ name: String, _ node: DiskNode) {
    var (entries, durable) = (entries, durable)
    entries[name] = node
    durable[name] = node
    become(entries: entries, durable: durable, changes: changes)
  }

  /// Copies the directory and everything below it. Each node is copied once, no matter how many names it has and had.
  func copy(_ copies: inout [ObjectIdentifier: DiskNode]) -> DiskDirectory {
    func copy(_ node: DiskNode) -> DiskNode {
      if let copied = copies[ObjectIdentifier(node)] { return copied }
      let copied: DiskNode
      switch node {
      case let directory as DiskDirectory: return directory.copy(&copies)
      case let file as DiskFile: copied = file.copy()
      default: copied = DiskLink(owner: node.owner, mode: node.mode)
      }
      copied.isLinked = node.isLinked
      copies[ObjectIdentifier(node)] = copied
      return copied
    }
    let copied = DiskDirectory(owner: owner, mode: mode)
    copied.isLinked = isLinked
    copies[ObjectIdentifier(self)] = copied
    copied.become(
      entries: entries.mapValues(copy), durable: durable.mapValues(copy),
      changes: changes.map { change in
        switch change {
        case .link(let name, let node): .link(name, copy(node))
        case .unlink(let name, let node): .unlink(name, copy(node))
        case .rename(let name, let new, let node): .rename(name, to: new, copy(node))
        }
      })
    return copied
  }
}

extension DiskFile {
  /// Makes the current contents durable.
  func settle() {
    durable = seen
    dirty = [:]
  }

  func copy() -> DiskFile {
    let copied = DiskFile(owner: owner, mode: mode)
    copied.seen = seen
    copied.durable = durable
    copied.dirty = dirty
    return copied
  }
}

extension DiskDirectory {
  /// Returns to the durable state, with some of the later changes. Includes everything in the directory.
  func losePower(_ random: inout SeededGenerator) {
    var left = durable
    // A journal keeps the first changes. Without one, any of them may have survived.
    let kept = Int.random(in: 0...changes.count, using: &random)
    let isJournaled = Bool.random(using: &random)
    for (number, change) in changes.enumerated() {
      let isKept = isJournaled ? number < kept : Bool.random(using: &random)
      if isKept { Self.apply(change, to: &left) }
    }
    become(entries: left, durable: left, changes: [])
    for name in left.keys.sorted() {
      guard let node = left[name] else { continue }
      node.isLinked = true
      node.closeAll()
      switch node {
      case let directory as DiskDirectory: directory.losePower(&random)
      case let file as DiskFile: file.losePower(&random)
      default: break
      }
    }
  }

  /// A node keeps one name, even if an earlier rename is lost.
  private static func apply(_ change: Change, to entries: inout [String: DiskNode]) {
    switch change {
    case .link(let name, let node): entries[name] = node
    case .unlink(let name, let node): if entries[name] === node { entries[name] = nil }
    case .rename(_, let new, let node):
      for (name, other) in entries where other === node { entries[name] = nil }
      entries[new] = node
    }
  }
}

extension DiskFile {
  /// Returns to the durable state, with some of the pages written since. Some of those are torn.
  func losePower(_ random: inout SeededGenerator) {
    for page in dirty.keys.sorted() {
      let versions = [durable[page]] + (dirty[page]?.between ?? []) + [seen[page]]
      durable.set(page, Self.survivor(of: versions, &random))
    }
    let counts = min(seen.count, durable.count)...max(seen.count, durable.count)
    let count = [seen.count, durable.count, Int.random(in: counts, using: &random)].randomElement(using: &random)
    let reserved = Bool.random(using: &random) ? seen.reserved : durable.reserved
    durable.resize(count ?? durable.count)
    durable.clearTail()  // older versions of its last page may have been longer
    durable.reserve(min(reserved, DiskPages.pageCount(durable.count)))
    seen = durable
    dirty = [:]
  }

  private static func survivor(
    of versions: [DiskPages.Page?], _ random: inout SeededGenerator
  ) -> DiskPages.Page? {
    guard Int.random(in: 0..<4, using: &random) == 0 else { return versions.randomElement(using: &random) ?? nil }
    var torn = DiskPages.zeros
    for start in stride(from: 0, to: DiskPages.pageSize, by: DiskPages.sectorSize) {
      let sector = start..<start + DiskPages.sectorSize
      if let version = versions.randomElement(using: &random) ?? nil {
        DiskPages.copy(sector, of: version, into: &torn)
      }
    }
    return torn
  }
}
