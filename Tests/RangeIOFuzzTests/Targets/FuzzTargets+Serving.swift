import Foundation
import RangeIOSupport

@testable import RangeIO
@testable import RangeIORemote
@testable import RangeIOServe

/// What clients ask `serve` for.
extension FuzzTargets {
  static let serving: [FuzzTarget] = [
    FuzzTarget(
      "ranges",
      texts: [
        "\u{0}\u{64}bytes=0-9,20-", "\u{1}\u{0}bytes=-5", "\u{1}\u{0}bytes=0-,0-,0-",
        "\u{1}\u{3}bytes=0-9223372036854775806, -1",
      ],
      words: ["bytes=", "-", ",", " ", "9223372036854775807", "9223372036854775806", "0-0"]
    ) { text in
      var input = FuzzInput(Array(text.utf8))
      let size = input.number()
      let value = String(decoding: input.rest, as: UTF8.self)
      let answer = RangeAnswer(range: value, Preconditions(), for: ServedVersion(tag: nil, modified: nil, size: size))
      guard let field = RangeField(value) else { return try promise(answer == .whole, "no range is answered with one") }
      for element in field.elements {
        guard let range = element.resolved(in: size) else { continue }
        try promise(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "\(range) of \(size)")
      }
      let written = field.elements.map { element in
        switch element {
        case .from(let first, let last): "\(first)-\(last.map { "\($0)" } ?? "")"
        case .suffix(let count): "-\(count)"
        }
      }
      try promise(RangeField("bytes=" + written.joined(separator: ",")) == field, "\(written) is another field")
      guard case .parts(let ranges) = answer else { return }
      let parts = MultipartRanges(ranges, size: size, mediaType: "application/octet-stream", number: 7)
      let heads = ranges.indices.reduce(parts.end.utf8.count) { $0 + parts.head(at: $1).utf8.count }
      try promise(ranges.count <= 16 && parts.byteCount - heads == ranges.reduce(0) { $0 + $1.count }, "\(ranges)")
    },
    FuzzTarget(
      "conditions",
      texts: [
        "W/\"a\"\n\"a\", \"b\"\n*\nSun, 06 Nov 1994 08:49:37 GMT\nSunday, 06-Nov-94 08:49:37 GMT\n\"a\"",
        "\"a\"\n\n\n\n\nSun Nov  6 08:49:37 1994", "a\n\"a,b\"\nW/\"a\"",
      ], words: ["W/", "\"", ",", "*", "\n", "Sun, 06 Nov 1994 08:49:37 GMT", "60", "Feb", "29"]
    ) { text in
      var input = FuzzInput(Array(text.utf8))
      let tag = EntityTag(input.line())
      var conditions = Preconditions()
      let (match, noneMatch) = (input.line(), input.line())
      if !match.isEmpty { conditions.ifMatch = [match] }
      if !noneMatch.isEmpty { conditions.ifNoneMatch = [noneMatch] }
      (conditions.ifModifiedSince, conditions.ifUnmodifiedSince, conditions.ifRange) = (
        input.line(), input.line(), input.line()
      )
      for list in [EntityTagList([match]), EntityTagList([noneMatch])] {
        try promise(!list.matchesStrongly(tag) || list.matchesWeakly(tag), "a tag matches strongly only")
      }
      for text in [conditions.ifModifiedSince!, conditions.ifRange!] {
        guard let date = HTTPDate(text) else { continue }
        try promise(HTTPDate(date.text) == date, "\(text) is \(date.text)")
      }
      let version = ServedVersion(tag: tag, modified: HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT"), size: 100)
      let answer = RangeAnswer(range: "bytes=0-9", conditions, for: version)
      if EntityTagList([noneMatch]) == .any {
        try promise(answer == .notModified || answer == .preconditionFailed, "\(answer)")
      }
      if case .part = answer, let date = conditions.ifRange, EntityTag(date)?.isQuoted != true {
        try promise(tag == nil, "a date allows a range where there is a tag")
      }
    },
    FuzzTarget(
      "targets",
      texts: [
        "/a/b%20c?format=json&after=%C3%A9\nhost:80\ngzip;q=0.5, br", "/%0A%1B\n[::1]:80\n*;q=1",
        "//a/\nlocalhost.\nidentity",
      ],
      words: ["%0A", "%0D", "%2F", "%00", "..", "%E2%80%AE", "?", "&", "/", "\n", "%", "q=", "[", "]", "\"", "\\"]
    ) { text in
      var input = FuzzInput(Array(text.utf8))
      let (path, host, codings) = (input.line(), input.line(), input.line())
      _ = (HostPolicy(["a.example"]).permits(host), ContentCoding.accepted([codings]))
      let record = AccessRecord(
        client: "192.0.2.1", user: host, secondsSince1970: 0, method: "GET", target: text, version: "HTTP/1.1",
        status: 200,
        bodyBytes: 1, isComplete: true, duration: .seconds(1), referrer: text, userAgent: codings)
      try promise(record.combined.utf8.dropLast().allSatisfy { $0 >= 32 && $0 < 127 }, "a line of the log is two")
      try promise(!record.json.dropLast().utf8.contains { $0 < 32 }, "an object of the log is two lines")
      try promise((try? JSONSerialization.jsonObject(with: Data(record.json.utf8))) != nil, "\(record.json) is no JSON")
      guard let target = RequestTarget(path) else { return }
      try promise(target.names.allSatisfy(\.isServed), "\(target.names) are not served")
      let again = RequestTarget("/" + target.names.map(\.encoded).joined(separator: "/"))
      try promise(again?.names == target.names, "\(path) is another path")
      try promise(
        !target.shown.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }, "\(target.shown) is no line")
      let saved = ContentDisposition.attachment(target.names.last)
      try promise(saved.utf8.allSatisfy { $0 >= 32 && $0 < 127 }, "\(saved) is no field")
    },
  ]
}
