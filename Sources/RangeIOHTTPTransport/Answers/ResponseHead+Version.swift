extension ResponseHead {
  /// What it shows of its version.
  var marks: VersionMarks { VersionMarks(versionID: versionID, tag: entityTag, date: lastModified) }

  /// The best identifier of the answer's version.
  func versionIdentifier(_ rules: TransferRules) -> ObjectVersion.Identifier { marks.identifier(rules) }

  /// Whether another change would have shown in `identifier`: the last one is two seconds old at least, by the answer's
  /// own clock, since `Last-Modified` and many a tag made of it count in seconds.
  func isSettled(_ identifier: ObjectVersion.Identifier, at now: Int) -> Bool {
    if case .versionID = identifier { return true }
    guard let changed = lastModified?.secondsSince1970 else { return true }
    return (fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970 ?? now) - changed >= 2
  }
}
