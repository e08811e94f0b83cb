#if HTTP

  import Foundation

  /// Times of HTTP (RFC 9110, 5.6.7).
  public enum HTTPTime {
    /// Now, in seconds since 1970.
    public static var now: Int { Int(Date().timeIntervalSince1970) }

    /// `seconds` since 1970 as in `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func text(_ seconds: Int) -> String {
      let (days, time) = seconds.quotientAndRemainder(dividingBy: 86400)
      let (year, month, day) = date(of: days)
      let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
      return "\(names[days % 7]), \(digits(day)) \(months[month - 1]) \(year) "
        + "\(digits(time / 3600)):\(digits(time / 60 % 60)):\(digits(time % 60)) GMT"
    }

    /// `seconds` since 1970 as signed URLs have it: `19941106T084937Z`.
    public static func compact(_ seconds: Int) -> String {
      let (days, time) = seconds.quotientAndRemainder(dividingBy: 86400)
      let (year, month, day) = date(of: days)
      return
        "\(year)\(digits(month))\(digits(day))T\(digits(time / 3600))\(digits(time / 60 % 60))\(digits(time % 60))Z"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The date that is `days` after 1 January 1970, which is not before it.
    private static func date(of days: Int) -> (year: Int, month: Int, day: Int) {
      var (year, rest) = (1970, days)
      while rest >= length(of: year) {
        rest -= length(of: year)
        year += 1
      }
      var month = 1
      while rest >= length(of: month, in: year) {
        rest -= length(of: month, in: year)
        month += 1
      }
      return (year, month, rest + 1)
    }

    private static func isLeap(_ year: Int) -> Bool {
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func length(of month: Int, in year: Int) -> Int {
      [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
  }

#endif
