#if SharedCache
  /// A block that reads of this process are looking for, by what costs less than its name in an engine.
  struct FetchKey: Hashable {
    let family: [UInt8]
    let block: Int

    init(_ block: Int, of family: BlockFamily) {
      self.family = family.digest
      self.block = block
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(block)
      hasher.combine(family.first)
    }
  }
#endif
