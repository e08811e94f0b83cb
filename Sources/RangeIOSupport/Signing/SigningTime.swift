/// A second in UTC, in the forms that signatures and credentials use.
public struct SigningTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970, without leap seconds. From the year 1 to the year 9999; others count as the nearest of these.
  public let secondsSince1970: Int

  private static let limits = -62_135_596_800...253_402_300_799

  /// The second so many after 1970 began, in UTC.
  public init(secondsSince1970: Int) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.limits.lowerBound), Self.limits.upperBound)
  }

  /// The day, as in `20260102`.
  public var day: String {
    let (year, month, day) = Self.date(days: Self.floor(secondsSince1970, 86_400))
    return Self.padded(year, 4) + Self.padded(month, 2) + Self.padded(day, 2)
  }

  /// The second, as in `20260102T030405Z`.
  public var stamp: String {
    let second = secondsSince1970 - Self.floor(secondsSince1970, 86_400) * 86_400
    return day + "T" + Self.padded(second / 3_600, 2) + Self.padded(second / 60 % 60, 2) + Self.padded(second % 60, 2)
      + "Z"
  }

  /// The earlier one comes first.
  public static func < (a: SigningTime, b: SigningTime) -> Bool { a.secondsSince1970 < b.secondsSince1970 }
}

extension SigningTime {
  /// Parses ISO 8601 as credentials have it: `2026-01-02T03:04:05Z`, with a fraction of a second, which is dropped, with
  /// an offset (`+01:00`), or without separators (`20260102T030405Z`). A time without a zone is in UTC.
  public init?(_ text: String) {
    var digits: [Int] = []
    var rest = text.utf8[...]
    while let byte = rest.first, digits.count < 14 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(byte) - 48)
      case UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " "): break
      default: return nil
      }
      rest = rest.dropFirst()
    }
    guard digits.count == 14, let offset = Self.offset(rest) else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
    let (hour, minute, second) = (number(8..<10), number(10..<12), number(12..<14))
    guard year >= 1, 1...12 ~= month, 1...31 ~= day, hour < 24, minute < 60, second <= 60 else { return nil }
    let days = Self.days(year, month, day)
    self.init(secondsSince1970: days * 86_400 + hour * 3_600 + minute * 60 + second - offset)
  }

  /// The seconds east of UTC that a time ends with, after a fraction.
  private static func offset(_ text: Substring.UTF8View) -> Int? {
    var rest = text
    if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
      rest = rest.dropFirst().drop { (48...57).contains($0) }
    }
    guard let sign = rest.first else { return 0 }
    rest = rest.dropFirst()
    switch sign {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): return rest.isEmpty ? 0 : nil
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      let digits = rest.filter { $0 != UInt8(ascii: ":") }
      guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      let numbers = digits.map { Int($0) - 48 }
      let seconds = (numbers[0] * 10 + numbers[1]) * 3_600 + (numbers[2] * 10 + numbers[3]) * 60
      return sign == UInt8(ascii: "-") ? -seconds : seconds
    default: return nil
    }
  }

  // MARK: the Gregorian calendar, whose years begin in March here, so that a leap day is the last of its year

  /// Days in 400 years.
  private static let era = 146_097
  /// Days from 1 March of the year 0 to 1 January 1970.
  private static let epoch = 719_468

  /// The date `days` after 1 January 1970.
  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + epoch
    let eras = floor(days, era)
    let inEra = days - eras * era
    let yearInEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearInEra + yearInEra / 4 - yearInEra / 100)
    let fromMarch = (5 * inYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    return (eras * 400 + yearInEra + (month <= 2 ? 1 : 0), month, inYear - (153 * fromMarch + 2) / 5 + 1)
  }

  /// The days from 1 January 1970 to a date.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let eras = floor(year, 400)
    let yearInEra = year - eras * 400
    let inYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return eras * era + yearInEra * 365 + yearInEra / 4 - yearInEra / 100 + inYear - epoch
  }

  private static func floor(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
