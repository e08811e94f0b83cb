#if Azure

  /// The order in which the Blob service sorts the names of `x-ms-` fields that it signs: by the culture of its platform,
  /// not by bytes. Hyphens count only where all else is equal.
  ///
  /// Equal to the vendor's own tables (`azure-storage-blob`, `_storage_header_sort`).
  enum HeaderOrder {
    /// What may stand in a name, in its order. Everything else, as the hyphen, counts as nothing at first.
    private static let ranks: [UInt8: Int] = {
      let order = Array("!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz".utf8)
      return Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    }()

    /// `true` if `a` comes before `b`. Both are in lower case.
    static func precedes(_ a: String, _ b: String) -> Bool {
      let (first, second) = (a.utf8.compactMap { ranks[$0] }, b.utf8.compactMap { ranks[$0] })
      if first != second { return first.lexicographicallyPrecedes(second) }
      let hyphen = UInt8(ascii: "-")
      return a.utf8.map { $0 == hyphen ? 1 : 0 }.lexicographicallyPrecedes(b.utf8.map { $0 == hyphen ? 1 : 0 })
    }
  }

#endif
