@testable import RangeIORemote

/// The time of all tests: 2026-11-23, 00:00:00 UTC.
let testNow = 1_795_392_000

/// The date of an object that was changed long ago.
let oldDate = "Sun, 06 Nov 1994 08:49:37 GMT"

extension ResponseHead {
  init(_ status: Int, _ fields: KeyValuePairs<String, String>) {
    self.init(status: status, fields: HeaderFields(fields))
  }

  /// A right 206.
  static func part(_ range: Range<Int>, of size: Int, tag: String? = "\"a\"") -> ResponseHead {
    var fields = HeaderFields([
      "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)", "Content-Length": "\(range.count)",
    ])
    fields.set("ETag", tag)
    return ResponseHead(status: 206, fields: fields)
  }
}

extension ObjectVersion {
  /// A version with a tag, as it stands in a field.
  static func tagged(_ text: String, size: Int) -> ObjectVersion {
    ObjectVersion(
      EntityTag(text).map { $0.isWeak ? .weakTag($0, lastModified: nil) : .strongTag($0) } ?? .unknown, size: size)
  }
}

extension ObjectVersion {
  /// The marks that an answer of this version shows.
  var marks: VersionMarks {
    switch identifier {
    case .versionID(let id): VersionMarks(versionID: id, tag: nil, date: nil)
    case .strongTag(let tag): VersionMarks(versionID: nil, tag: tag, date: nil)
    case .weakTag(let tag, let date): VersionMarks(versionID: nil, tag: tag, date: date)
    case .lastModified(let date): VersionMarks(versionID: nil, tag: nil, date: date)
    case .unknown: VersionMarks(versionID: nil, tag: nil, date: nil)
    }
  }
}
