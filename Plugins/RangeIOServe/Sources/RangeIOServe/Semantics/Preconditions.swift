package import RangeIORemote

/// The version of an object, as its answers tell it.
package struct ServedVersion: Equatable, Sendable {
  /// Strong if it names these bytes for good; `nil` if the source has nothing that lasts.
  package var tag: EntityTag?
  /// When the bytes last changed, to the second; `nil` if that is not known.
  package var modified: HTTPDate?
  /// `true` once that second is over. Before, the bytes could change again and keep the date, which names no version then
  /// (RFC 9110, section 8.8.2.2).
  package var isDateFinal = true
  package var size: Int

  /// This version in an answer at `now`.
  package func shown(at now: HTTPDate) -> ServedVersion {
    var version = self
    version.isDateFinal = modified.map { $0 < now } ?? true
    return version
  }

  package init(tag: EntityTag?, modified: HTTPDate?, size: Int) {
    self.tag = tag
    self.modified = modified
    self.size = size
  }
}

/// The conditions of a request (RFC 9110, section 13).
package struct Preconditions: Equatable, Sendable {
  package enum Outcome: Equatable, Sendable {
    case proceed
    /// 304.
    case notModified
    /// 412.
    case failed
  }

  package var ifMatch: [String] = []
  package var ifNoneMatch: [String] = []
  package var ifModifiedSince: String?
  package var ifUnmodifiedSince: String?
  package var ifRange: String?

  package init() {}

  /// Judges the conditions, in the order of RFC 9110, section 13.2.2.
  package func outcome(for version: ServedVersion) -> Outcome {
    if !ifMatch.isEmpty {
      guard EntityTagList(ifMatch).matchesStrongly(version.tag) else { return .failed }
    } else if let limit = ifUnmodifiedSince.flatMap({ HTTPDate($0) }), let modified = version.modified {
      guard modified <= limit, version.isDateFinal else { return .failed }
    }
    if !ifNoneMatch.isEmpty {
      return EntityTagList(ifNoneMatch).matchesWeakly(version.tag) ? .notModified : .proceed
    }
    if let limit = ifModifiedSince.flatMap({ HTTPDate($0) }), let modified = version.modified, modified <= limit,
      version.isDateFinal
    {
      return .notModified
    }
    return .proceed
  }

  /// `true` if a `Range` applies: there is no `If-Range`, or it names this version (section 13.1.5).
  ///
  /// A date counts only where there is no tag: two versions can have the same date, such as copies that keep it.
  package func allowRange(of version: ServedVersion) -> Bool {
    guard let ifRange else { return true }
    if let date = HTTPDate(ifRange) {
      return version.tag == nil && date == version.modified && version.isDateFinal
    }
    guard let tag = EntityTag(ifRange), tag.isQuoted, !tag.isWeak else { return false }
    return tag == version.tag
  }
}
