import RangeIOServe
import Testing

/// Names, sizes and times of a listing.
struct ListedTextTests {
  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (12_595, "12.3 KiB"),
    (102_348, "99.9 KiB"), (102_399, "100 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.0 MiB"), (1 << 30, "1.0 GiB"),
    (123 << 40, "123 TiB"), (.max, "8.0 EiB"),
  ])
  func `a size has a unit`(byteCount: Int, text: String) { #expect(ListedText.size(byteCount) == text) }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_000_000_000, "2001-09-09T01:46:40Z"), (951_782_399, "2000-02-28T23:59:59Z"),
    (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
    (.min, "0001-01-01T00:00:00Z"),
  ])
  func `a time is by ISO 8601`(seconds: Int, text: String) {
    #expect(ListedText.time(secondsSince1970: seconds) == text)
  }

  @Test(arguments: [
    ("<a href='x'>\"&", "&lt;a href=&#39;x&#39;&gt;&quot;&amp;"), ("a\nb\t", "a\u{240A}b\u{2409}"),
    ("photo\u{202E}gpj.exe", "photo\u{FFFD}gpj.exe"),
    ("a\u{2066}b\u{200F}\u{7F}\u{9B}", "a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}"), ("e\u{301}", "e\u{301}"), ("", ""),
  ])
  func `a name is text, and its signs are seen`(name: String, text: String) {
    #expect(ListedText.escaped(name).unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}
