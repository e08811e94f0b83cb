/// All marks that an answer shows of its version.
struct VersionMarks: Hashable, Sendable {
  let versionID: ExactText?
  let tag: EntityTag?
  let date: HTTPDate?

  /// The best identifier that they make.
  func identifier(_ rules: TransferRules) -> ObjectVersion.Identifier {
    if let versionID { return .versionID(versionID) }
    if rules.judgesByTime, let date { return .lastModified(date) }
    if let tag { return tag.isWeak ? .weakTag(tag, lastModified: date) : .strongTag(tag) }
    return date.map { .lastModified($0) } ?? .unknown
  }

  /// The result of comparing an answer's version with the one that is read.
  enum Agreement: Hashable, Sendable {
    case same
    case other
    /// The answer lacks what the version is known by.
    case missing
  }

  /// Compares what `identifier` consists of, and only that: an answer may have more.
  ///
  /// Tags are compared byte by byte: one in other letters, or with `-gzip` at its end, is another.
  func agreement(with identifier: ObjectVersion.Identifier) -> Agreement {
    func compare<Value: Equatable>(_ mine: Value?, _ expected: Value) -> Agreement {
      mine.map { $0 == expected ? .same : .other } ?? .missing
    }
    switch identifier {
    case .versionID(let id): return compare(versionID, id)
    case .strongTag(let expected): return compare(tag, expected)
    case .weakTag(let expected, let lastModified):
      let tags = compare(tag?.opaque, expected.opaque)
      guard tags == .same, let lastModified else { return tags }
      return compare(date, lastModified)
    case .lastModified(let expected): return compare(date, expected)
    case .unknown: return .same
    }
  }
}

extension ObjectVersion.Identifier {
  /// The rank: a higher one tells versions apart better.
  private var strength: Int {
    switch self {
    case .unknown: 0
    case .lastModified: 1
    case .weakTag(_, let date): date == nil ? 2 : 3
    case .strongTag: 4
    case .versionID: 5
    }
  }

  /// No two versions share it, as far as the server keeps to what it says.
  var isStrong: Bool { strength >= 4 }

  /// This, or what `marks` of the same version make if that is better.
  func strengthened(by marks: VersionMarks, _ rules: TransferRules) -> Self {
    let other = marks.identifier(rules)
    return other.strength > strength ? other : self
  }
}
