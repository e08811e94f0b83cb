import RangeIO

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
