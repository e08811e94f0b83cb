@testable import RangeIORemote

/// One version of the object that a ``ModelServer`` holds.
struct ModelObject {
  /// The marks by which the server tells versions apart.
  enum Marking: CaseIterable {
    case strongTag, unquotedTag, weakTag, weakTagAndDate, date, versionID, nothing
  }

  let number: Int
  let bytes: [UInt8]
  let marking: Marking

  /// Version `number`, which differs from all others in what `marking` shows, and in most of its bytes.
  init(number: Int, marking: Marking, size: Int, _ random: inout SeededNumbers) {
    self.number = number
    self.marking = marking
    // What has nothing but its size is told apart by that alone.
    let count = marking == .nothing ? size + number * 7 : size
    var word = random.next()
    bytes = (0..<count).map { index in
      if index % 8 == 0 { word = random.next() }
      return UInt8(truncatingIfNeeded: word >> (8 * UInt64(index % 8)))
    }
  }

  var size: Int { bytes.count }

  /// The fields that show the version.
  var fields: HeaderFields {
    let date = HTTPDate(secondsSince1970: testNow - 100_000 + 10 * number).text
    switch marking {
    case .strongTag: return HeaderFields(["ETag": "\"v\(number)\""])
    case .unquotedTag: return HeaderFields(["ETag": "v\(number)"])
    case .weakTag: return HeaderFields(["ETag": "W/\"v\(number)\""])
    case .weakTagAndDate: return HeaderFields(["ETag": "W/\"v\"", "Last-Modified": date])
    case .date: return HeaderFields(["Last-Modified": date])
    case .versionID: return HeaderFields(["x-amz-version-id": "v\(number)", "ETag": "\"e\(number)\""])
    case .nothing: return HeaderFields()
    }
  }

  /// True if `version` may mean this one: its tag or date, and the size where there is neither.
  ///
  /// Else the size need not agree: HEAD may have lied, or all answers alike, and the bytes are right all the same.
  func isMeant(by version: ObjectVersion, _ rules: TransferRules) -> Bool {
    let identifier = ResponseHead(status: 200, fields: fields).versionIdentifier(rules)
    return identifier == version.identifier && (identifier != .unknown || size == version.size)
  }
}
