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
