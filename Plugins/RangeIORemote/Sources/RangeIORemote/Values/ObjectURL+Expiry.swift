internal import RangeIOSupport

extension ObjectURL {
  /// When the signature of this URL ends, in seconds since 1970; `nil` if it has none, or if it does not say.
  ///
  /// Known are the query signatures of Amazon (versions 2 and 4), CloudFront, Google and Azure.
  public var expiry: Int? {
    var values: [String: String] = [:]
    for item in queryItems {
      if let value = item.value { values[QuerySignature.key(item.name)] = PercentCoding.decoded(value) }
    }
    func signed(_ date: String, for seconds: String) -> Int? {
      guard let date = values[date].flatMap(Self.compactDate),
        let seconds = values[seconds].flatMap({ HTTPText.number($0) })
      else { return nil }
      let (end, overflow) = date.addingReportingOverflow(seconds)
      return overflow ? nil : end
    }
    var end: Int?
    if values["x-amz-signature"] != nil {
      end = signed("x-amz-date", for: "x-amz-expires")
    } else if values["x-goog-signature"] != nil {
      end = signed("x-goog-date", for: "x-goog-expires")
    } else if values["sig"] != nil {
      end = values["se"].flatMap(Self.compactDate)
    } else if values["signature"] != nil {
      end = values["expires"].flatMap { HTTPText.number($0) }
    }
    // Arithmetic with it must not overflow: the years 1970 to 9999.
    return end.map { min(max($0, 0), 253_402_300_799) }
  }

  /// A date of ISO 8601 in UTC, with or without separators, to seconds; the time may be missing.
  private static func compactDate(_ text: String) -> Int? {
    let digits = text.utf8.filter { (48...57).contains($0) }.map { Int($0) - 48 }
    let others = text.utf8.filter { !(48...57).contains($0) }
    guard others.allSatisfy({ "-:TZtz.".utf8.contains($0) }), digits.count >= 8 else { return nil }
    func number(_ range: Range<Int>) -> Int {
      guard range.upperBound <= digits.count else { return 0 }
      return digits[range].reduce(0) { $0 * 10 + $1 }
    }
    return HTTPDate.seconds(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: number(12..<14))
  }
}
