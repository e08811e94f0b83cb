/// A date of HTTP (RFC 9110, section 5.6.7), to the second.
public struct HTTPDate: Hashable, Comparable, Sendable {
  /// Seconds since the beginning of 1970, UTC, without leap seconds.
  public let secondsSince1970: Int

  /// A date by its number of seconds.
  public init(secondsSince1970: Int) { self.secondsSince1970 = secondsSince1970 }

  /// Parses the present form and the two obsolete ones:
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
  ///
  /// The day of the week is not compared. Years of two digits are 1970 to 2069. `nil` for anything else.
  public init?(_ text: String) {
    // Nearly all dates have the present form. Each answer has one.
    if let seconds = Self.presentForm(text) {
      secondsSince1970 = seconds
      return
    }
    let separators: Set<Character> = [" ", ",", "-", "\t"]
    let words = text.split { separators.contains($0) }
    guard words.count == 6 || words.count == 5 else { return nil }
    // The month comes second in the first two forms, and first in the third.
    let isThird = words.count == 5
    guard let month = Self.months.firstIndex(where: { HTTPText.areEqual($0, words[isThird ? 1 : 2]) }),
      let day = HTTPText.number(words[isThird ? 2 : 1]), var year = HTTPText.number(words[isThird ? 4 : 3])
    else { return nil }
    guard isThird || HTTPText.areEqual(words[5], "GMT") || HTTPText.areEqual(words[5], "UTC") else { return nil }
    if words[isThird ? 4 : 3].count == 2 { year += year < 70 ? 2000 : 1900 }
    let time = words[isThird ? 3 : 4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, let hour = HTTPText.number(time[0]), let minute = HTTPText.number(time[1]),
      let second = HTTPText.number(time[2]),
      let seconds = Self.seconds(
        year: year, month: month + 1, day: day, hour: hour, minute: minute, second: min(second, 59)),
      second <= 60
    else { return nil }
    secondsSince1970 = seconds
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, as it is sent by all that send what they should; `nil` for all else.
  private static func presentForm(_ text: String) -> Int? {
    guard text.utf8.count == 29 else { return nil }
    var text = text
    return text.withUTF8 { bytes in
      func number(_ first: Int, _ count: Int) -> Int? {
        bytes[first..<first + count].reduce(0) { number, byte in
          number.flatMap { (48...57).contains(byte) ? $0 * 10 + Int(byte - 48) : nil }
        }
      }
      func has(_ text: StaticString, at first: Int) -> Bool {
        text.withUTF8Buffer { bytes[first..<first + $0.count].elementsEqual($0) }
      }
      guard has(", ", at: 3), has(" ", at: 7), has(" ", at: 11), has(" ", at: 16), has(":", at: 19), has(":", at: 22),
        has(" GMT", at: 25), let day = number(5, 2), let year = number(12, 4), let hour = number(17, 2),
        let minute = number(20, 2), let second = number(23, 2),
        let month = months.firstIndex(where: { bytes[8..<11].elementsEqual($0.utf8) })
      else { return nil }
      return second > 60
        ? nil
        : seconds(
          year: year, month: month + 1, day: day, hour: hour, minute: minute, second: min(second, 59))
    }
  }

  /// As HTTP sends it: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var text: String {
    // From the years 1 to 9999, counted from the first day of them.
    let seconds = min(max(secondsSince1970, -62_135_596_800), 253_402_300_799) + 62_135_596_800
    let days = seconds / 86_400 - 719_162
    let rest = seconds % 86_400
    let (year, month, day) = Self.civil(days)
    let weekday = Self.weekdays[((days + 4) % 7 + 7) % 7]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let padded = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(weekday), \(two(day)) \(Self.months[month - 1]) \(padded) \(time) GMT"
  }

  /// Earlier dates first.
  public static func < (a: HTTPDate, b: HTTPDate) -> Bool { a.secondsSince1970 < b.secondsSince1970 }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// A date of the Gregorian calendar to seconds since 1970; `nil` if there is no such date from 1601 to 9999.
  static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
    guard (1601...9999).contains(year), (1...12).contains(month), (1...daysOfMonth(month, year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from the beginning of 1970 to that of `year`.
  private static func daysBefore(_ year: Int) -> Int {
    let past = year - 1
    return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    (1..<month).reduce(daysBefore(year) + day - 1) { $0 + daysOfMonth($1, year) }
  }

  /// The date of a day counted from the beginning of 1970.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // A guess that is at most one year too late or too early.
    var year = min(max(1, 1970 + Int((Double(days) / 365.2425).rounded(.down))), 9999)
    while daysBefore(year) > days { year -= 1 }
    while daysBefore(year + 1) <= days { year += 1 }
    var rest = days - daysBefore(year)
    var month = 1
    while rest >= daysOfMonth(month, year) {
      rest -= daysOfMonth(month, year)
      month += 1
    }
    return (year, month, rest + 1)
  }
}
