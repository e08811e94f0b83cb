import RangeIOSupport

@testable import RangeIO

/// What people and settings write: sizes, names, times.
extension FuzzTargets {
  static let sizes: [FuzzTarget] = [
    FuzzTarget(
      "sizes", texts: ["4096", "64 KiB", "1.5G", "20t", "0.3K", "64 kb", "9223372036854775807", "8388607.99T"],
      words: ["KiB", "GB", " ", ".", "\u{212A}", "999999999999999", "\u{301}"]
    ) { text in
      guard let count = ByteCount(text) else { return }
      try promise(count.bytes >= 0 && text.utf8.allSatisfy { $0 < 128 }, "\(text) is \(count.bytes) bytes")
      try promise(ByteCount("\(count)") == count, "\(text): \(count) is not \(count.bytes) bytes")
    },
    FuzzTarget(
      "names",
      texts: [
        "https://user:pass@host:80/a/b?versionId=3&sig=x#f", "s3://bucket/key", "/a/b;c=d/year=2026/", "az:h//x@y",
        "file:///a", "gz:https://host/?a", "logo@2x.png", "https;//a", "//u:p@h/p", "http://[::1]:80/a",
      ], words: ["://", "@", "?", "%3D", "%3f", ";", "=", "&versionId=", "http", "[", "]", ":", "\u{2026}"]
    ) { text in
      try promise(!ShownName.target("/a?sig=5ecret&" + text).contains("5ecret"), "a query shows")
      let isOwn = text.contains("5ecret")
      for name in ["https://user:5ecret@host/" + text, "https://host/a?sig=5ecret&" + text] {
        for shown in [ShownName.of(name), ShownName.typed(name)] {
          try promise(isOwn || !shown.contains("5ecret"), "\(name) shows as \(shown)")
        }
      }
    },
    FuzzTarget(
      "times",
      texts: ["2026-01-02T03:04:05Z", "20260102T030405.5+01:00", "0001-01-01 00:00:00-2359", "9999-12-31T23:59:60Z"],
      words: ["+99:99", "T", "Z", "-", "0000", "9999"]
    ) { text in
      guard let time = SigningTime(text) else { return }
      try promise(SigningTime(time.stamp) == time, "\(text) is \(time.stamp)")
    },
    FuzzTarget("percents", texts: ["a%20b", "%", "%4", "%zz%41", "\u{E9}/ü?&"], words: ["%", "%25", "%2F"]) { text in
      let encoded = PercentCoding.encoded(text, keeping: nil)
      try promise(PercentCoding.decoded(bytes: Array(encoded.utf8)) == Array(text.utf8), "\(encoded) is another text")
      for inQuery in [false, true] {
        let legal = PercentCoding.legal(text, inQuery: inQuery)
        try promise(PercentCoding.legal(legal, inQuery: inQuery) == legal, "\(legal) is encoded twice")
        try promise(legal.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "\(legal) is no part of a URL")
      }
    },
  ]
}
