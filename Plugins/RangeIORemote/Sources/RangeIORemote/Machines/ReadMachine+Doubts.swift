internal import RangeIO

extension ReadMachine {
  /// A doubt that an answer raises, so that a new description must decide. Each once a read.
  enum Doubt: Hashable, Sendable {
    /// 412, or 400 and 501 to a request with a tag: it no longer matches, or the server cannot match it.
    case condition
    /// Another tag, date or size: the object was replaced, or a cache is stale.
    case version
    /// 404, 410: the object was removed, or a redirect is out of date.
    case presence
    /// 416 for a range within the object.
    case satisfiable
  }

  /// Asks for a description; fails with `failure` if the doubt comes back after it.
  mutating func doubt(_ doubt: Doubt, _ failure: Failure) -> TransferStep {
    guard doubted.insert(doubt).inserted else { return .fail(failure) }
    open = doubt
    return .describe
  }

  /// The step to take if the answer is not of the version that is read; `nil` if it is.
  ///
  /// - Parameters:
  ///   - total: the size that the answer shows, if it does.
  ///   - isWhole: whether it is a 200.
  mutating func doubtOfVersion(_ head: ResponseHead, total: Int?, isWhole: Bool = false) -> TransferStep? {
    if let total, !isPossible(total) { return doubt(.version, stale("with another size, \(total) bytes")) }
    if context.rules.isAppendOnly {
      let shown = ObjectVersion(head.versionIdentifier(context.rules), size: total ?? version.size)
      // Without tag and date the size says little.
      if total == nil || pin == .unknown || shown != pinned { moved.insert(shown) }
      return nil
    }
    switch head.marks(context.rules).agreement(with: pin) {
    case .other: return doubt(.version, stale("as another version, \(head.summary)"))
    case .missing:
      // HEAD may show what GET does not.
      context.learn(.headLies)
      return .fail(
        Failure(
          .validatorMissing,
          "the server gave neither the tag nor the date by which it showed the version before, "
            + "so the bytes may be of any version"))
    case .same: break
    }
    guard total == nil else { return nil }
    // Without the size only an identifier that no two versions share tells that it is right.
    if pin.isStrong { return nil }
    return .fail(
      Failure(
        isWhole ? .sizeUnknown : .invalidContentRange,
        "the server answered without the size of the object and without a strong tag, "
          + "so the bytes may be of any version"))
  }

  /// True if the version that is read may have `total` bytes.
  func isPossible(_ total: Int) -> Bool {
    context.rules.isAppendOnly ? total >= version.size : total == version.size
  }

  /// Decides a doubt by a description, or by the failure to get one.
  mutating func decide(_ doubt: Doubt, by result: Result<ObjectDescription, Failure>, at now: Int) -> TransferStep {
    switch result {
    case .failure(let failure) where failure.code == .notFound:
      return .fail(
        Failure(.changed, "the object was removed from the server since it was opened: open it again if it returns"))
    case .failure(let failure):
      return .fail(failure)
    case .success(let description):
      context.route = description.route
      if context.rules.isAppendOnly {
        guard description.size >= version.size || !description.isSizeTold else {
          return .fail(changed(to: description.version))
        }
      } else if description.size != version.size || description.marks.agreement(with: pin) != .same {
        return .fail(changed(to: description.version))
      }
      switch doubt {
      case .condition: context.learn(.refusesIfMatch)
      case .version where taken > 0 && !pin.isStrong && !context.rules.isAppendOnly:
        // The answers before it may be as wrong, and nothing would show it.
        return .fail(stale("as another version, on the way from one answer to the next"))
      case .version:
        context.learn(.servesStale)
        passesCaches = true
      case .presence, .satisfiable: passesCaches = true
      }
      return send(at: now)
    }
  }

  private mutating func changed(to newer: ObjectVersion) -> Failure {
    // HEAD may have shown what GET does not: GET shall tell from now on.
    context.learn(.headLies)
    if pin != .unknown, pin == newer.identifier, newer.size != version.size {
      // One tag or date with two sizes: one of them may be that of another encoding.
      return Failure(
        .changed,
        "the server gave the object \(version.size) bytes at first and \(newer.size) now, "
          + "with the same tag or date: open it again")
    }
    return Failure(
      .changed, "\(pinned.words(for: newer)) since it was opened: open it again to read the new version")
  }

  func stale(_ how: String) -> Failure {
    Failure(
      .staleAnswer,
      "the server describes the object as \(pinned.summary) of \(version.size) bytes, "
        + "but answers \(how): servers or caches behind it differ; if their tags do, judge versions by time")
  }

  func gone(_ head: ResponseHead) -> Failure {
    Failure(
      head.status == 404 ? .notFound : .gone,
      "the server answered a range with \(head.status), "
        + "though it still describes the object: servers behind it differ; try again", isTransient: true)
  }
}

extension ResponseHead {
  /// The version in words, for messages.
  fileprivate var summary: String {
    if let entityTag { return "tag \"\(entityTag.opaque.shown)\"" }
    return lastModified.map { "last modified \($0.text)" } ?? "no tag"
  }
}
