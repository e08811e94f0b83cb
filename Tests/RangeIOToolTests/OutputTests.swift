#if Tool
import Foundation
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct OutputTests {
  @Test func `text is harmless to a terminal and control characters are not`() {
    #expect(TerminalText.isHarmless(Bytes("naïve – Ünïcødé\tand\r\nlines\u{C}".utf8)))
    #expect(TerminalText.isHarmless(Bytes()))
    for harmful in ["\u{0}", "\u{1B}[2J", "\u{7F}", "\u{9B}31m", "\u{7}"] {
      #expect(!TerminalText.isHarmless(Bytes("text \(harmful)".utf8)))
    }
  }

  @Test func `figures are written as people read them`() {
    #expect(Figures.count(0) == "0")
    #expect(Figures.count(-1_234_567) == "-1,234,567")
    #expect(Figures.size(999) == "999 B")
    #expect(Figures.size(1_400_000_000) == "1.3 GiB")
    for (bytes, binary, decimal) in [
      (0, "0 B", "0 B"), (999, "999 B", "999 B"), (1000, "1000 B", "1.0 kB"), (1023, "1023 B", "1.0 kB"),
      (1024, "1.0 KiB", "1.0 kB"),
      (1_048_400, "1.0 MiB", "1.0 MB"), (1 << 30, "1.0 GiB", "1.1 GB"), (3 << 50, "3072 TiB", "3378 TB"),
    ] {
      #expect(Figures.size(Double(bytes), inPowersOf1000: false) == binary)
      #expect(Figures.size(Double(bytes), inPowersOf1000: true) == decimal)
    }
    #expect(Figures.count(1, "file") == "1 file" && Figures.count(0, "file") == "0 files")
    #expect(Figures.count(2, "directory", "directories") == "2 directories")
    #expect(Figures.time(.nanoseconds(850)) == "850 ns")
    #expect(Figures.time(.microseconds(12)) == "12.0 µs")
    #expect(Figures.rate(bytes: 8_210_000_000, in: .seconds(1)) == "7.6 GiB/s")
    #expect(Figures.rate(bytes: 0, in: .seconds(1)) == "–")
    #expect(Figures.decimal(0.999, places: 2) == "1.00")
    #expect(Figures.decimal(-0.5, places: 1) == "-0.5")
  }

  @Test func `progress tells share, sizes and rate`() {
    #expect(
      Progress.text("f", done: 500_000_000, of: 1_000_000_000, after: .seconds(1))
        == "f: 50%, 477 MiB of 954 MiB, 477 MiB/s")
    #expect(Progress.text("f", done: 0, of: 0, after: .zero) == "f: 100%, 0 B of 0 B, –")
  }

  @Test func `progress is one line of the terminal, whatever the file is called`() {
    let evil = "a\u{1B}]0;title\u{7}\n\u{9B}2Jb"
    let line = Progress.text(evil, done: 1, of: 2, after: nil)
    #expect(line == "a\u{FFFD}]0;title\u{FFFD} \u{FFFD}2Jb: 50%, 1 B of 2 B")
    let path = String(repeating: "directory/", count: 30) + "name"
    #expect(Progress.text(path, done: 1, of: 2, after: nil, columns: 40) == "…ectory/directory/name: 50%, 1 B of 2 B")
    for columns in 0..<60 {
      let line = Progress.text(path, done: 1, of: 2, after: .seconds(1), columns: columns)
      #expect(line.count < max(1, columns))
      #expect(line.count <= 23 || line.hasSuffix(": 50%, 1 B of 2 B, 1 B/s"))
    }
    // Each takes two columns.
    #expect(TerminalText.suffix("日本語", columns: 6) == "日本語")
    #expect(TerminalText.suffix("日本語", columns: 5) == "…本語")
    #expect(TerminalText.suffix("日本語", columns: 4) == "…語")
  }

  @Test func `a server that sends nothing is told of once in a pause, and not while the output is blocked`() {
    var silence = Silence(received: 7)
    func look(_ received: Int, _ seconds: Int, isBlocked: Bool = false) -> Duration? {
      silence.look(received: received, isBlocked: isBlocked, at: .seconds(seconds))
    }
    func told(_ received: Int, _ seconds: ClosedRange<Int>, isBlocked: Bool = false) -> [Duration] {
      seconds.compactMap { look(received, $0, isBlocked: isBlocked) }
    }
    #expect(told(7, 1...30) == [.seconds(5)])
    // Bytes end the pause, and so does an output that takes none.
    #expect(told(8, 31...35) == [] && told(9, 36...40) == [])
    #expect(told(9, 41...50, isBlocked: true) == [] && told(9, 51...60) == [.seconds(5)])
    // And so does a time in which nobody looked, as of a process that was stopped.
    #expect(told(10, 61...63) == [] && look(10, 7200) == nil && told(10, 7201...7210) == [.seconds(5)])
  }

  @Test func `JSON has no control characters, of neither set`() {
    #expect(JSON.string("\u{9B}2J\u{7F}\u{1B}").text() == #""\u009b2J\u007f\u001b""#)
  }

  @Test func `a table aligns its columns and leaves no blanks at line ends`() {
    let table = Table(columns: [.left, .right, .left], rows: [["a", "1", ""], ["long", "234", "x"]])
    #expect(table.text == "a       1\nlong  234  x")
  }

  @Test func `JSON of every kind decodes to what it was`() throws {
    let json = JSON.object([
      "text": .string("a \"quote\" \\ \n\t\r\u{1} ü"), "yes": .bool(true), "nothing": .null, "number": .number(0.25),
      "infinite": .number(.infinity), "list": .array([.integer(1), .array([]), .object([:])]),
    ])
    let decoded = try #require(
      try JSONSerialization.jsonObject(with: Data(json.text().utf8)) as? [String: Any])
    #expect(decoded["text"] as? String == "a \"quote\" \\ \n\t\r\u{1} ü")
    #expect(decoded["yes"] as? Bool == true)
    #expect(decoded["nothing"] is NSNull && decoded["infinite"] is NSNull)
    #expect(decoded["number"] as? Double == 0.25)
    #expect((decoded["list"] as? [Any])?.count == 3)
  }
}
#endif
