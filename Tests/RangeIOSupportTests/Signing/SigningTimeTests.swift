import Foundation
import Testing

@testable import RangeIOSupport

struct SigningTimeTests {
  @Test func `every day from 1583 to 2700 is that of Foundation's calendar`() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    // 1 January 1583.
    var seconds = -12_212_553_600
    var previous = ""
    while seconds < 23_036_745_600 {
      let time = SigningTime(secondsSince1970: seconds)
      let date = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      let expected = String(format: "%04d%02d%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
      if time.day != expected || time.day <= previous { Issue.record("\(time.day) instead of \(expected)") }
      previous = time.day
      // Eleven days and some hours: all months, all hours, in time.
      seconds += 86_400 * 11 + 3_601
    }
  }

  @Test func `a stamp is parsed back`() {
    for seconds in stride(from: -30_000_000_000, to: 100_000_000_000, by: 987_654_321) {
      let time = SigningTime(secondsSince1970: seconds)
      #expect(SigningTime(time.stamp) == time)
    }
  }

  @Test func `the times of credentials are understood`() {
    let expected = 1_767_323_045
    for text in [
      "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.999Z", "20260102T030405Z", "2026-01-02T03:04:05+00:00",
      "2026-01-02T04:04:05+01:00", "2026-01-01T22:34:05-0430", "2026-01-02 03:04:05", "2026-01-02t03:04:05z",
    ] {
      #expect(SigningTime(text)?.secondsSince1970 == expected, "\(text)")
    }
  }

  @Test func `what is no time is refused`() {
    for text in [
      "", "2026", "2026-13-02T03:04:05Z", "2026-00-02T03:04:05Z", "2026-01-32T03:04:05Z", "2026-01-02T24:04:05Z",
      "2026-01-02T03:60:05Z", "2026-01-02T03:04:05X", "2026-01-02T03:04:05+1", "2026-01-02T03:04:05+aa:bb", "now",
      "0000-01-01T00:00:00Z", "２026-01-02T03:04:05Z",
    ] {
      #expect(SigningTime(text) == nil, "\(text)")
    }
  }

  @Test func `times out of reach count as the nearest`() {
    #expect(SigningTime(secondsSince1970: .max).stamp == "99991231T235959Z")
    #expect(SigningTime(secondsSince1970: .min).stamp == "00010101T000000Z")
  }
}
