extension ResponseHead {
  /// How an answer's version compares with the one that is read.
  enum Agreement: Hashable, Sendable {
    case same
    case other
    /// The answer lacks what the version is known by.
    case missing
  }

  /// The best identifier of the answer's version.
  func versionIdentifier(_ rules: TransferRules) -> ObjectVersion.Identifier {
    if rules.usesVersionIDs, let versionID { return .versionID(versionID) }
    let date = lastModified
    if rules.judgesByTime, let date { return .lastModified(date) }
    if let tag = entityTag { return tag.isWeak ? .weakTag(tag, lastModified: date) : .strongTag(tag) }
    return date.map { .lastModified($0) } ?? .unknown
  }

  /// Compares what `identifier` consists of, and only that: an answer may have more.
  func agreement(with identifier: ObjectVersion.Identifier) -> Agreement {
    func compare<Value: Equatable>(_ mine: Value?, _ expected: Value) -> Agreement {
      mine.map { $0 == expected ? .same : .other } ?? .missing
    }
    switch identifier {
    case .versionID(let id): return compare(versionID, id)
    case .strongTag(let tag): return compare(entityTag, tag)
    case .weakTag(let tag, let date):
      let tags = compare(entityTag?.opaque, tag.opaque)
      guard tags == .same, let date else { return tags }
      return compare(lastModified, date)
    case .lastModified(let date): return compare(lastModified, date)
    case .unknown: return .same
    }
  }

  /// Whether another change would have shown in `identifier`: the last one is two seconds old at least, by the answer's
  /// own clock, since `Last-Modified` and many a tag made of it count in seconds.
  func isSettled(_ identifier: ObjectVersion.Identifier, at now: Int) -> Bool {
    if case .versionID = identifier { return true }
    guard let changed = lastModified?.secondsSince1970 else { return true }
    return (fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970 ?? now) - changed >= 2
  }
}
