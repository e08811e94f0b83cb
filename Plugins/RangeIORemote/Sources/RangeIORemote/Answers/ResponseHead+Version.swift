extension ResponseHead {
  /// The marks that the answer shows of its version.
  func marks(_ rules: TransferRules) -> VersionMarks {
    VersionMarks(versionID: versionID(rules), tag: entityTag, date: lastModified)
  }

  /// The best identifier of the answer's version.
  func versionIdentifier(_ rules: TransferRules) -> ObjectVersion.Identifier { marks(rules).identifier(rules) }

  /// True if another change would have shown in `identifier`: the last one is two seconds old at least, by the answer's
  /// own clock, since `Last-Modified` and many a tag made of it count in seconds.
  ///
  /// A date that lies ahead of that clock by more than a minute is none (RFC 9110, 8.8.2.1: a camera's, a time zone's): a
  /// strong tag does not need it. Less than that, two clocks may differ.
  func isSettled(_ identifier: ObjectVersion.Identifier, at now: Int) -> Bool {
    if case .versionID = identifier { return true }
    guard let changed = lastModified?.secondsSince1970 else { return true }
    let age = (fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970 ?? now) - changed
    if case .strongTag = identifier, age < -60 { return true }
    return age >= 2
  }
}
