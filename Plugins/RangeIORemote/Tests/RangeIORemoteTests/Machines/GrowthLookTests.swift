import Testing

@testable import RangeIORemote

/// What is asked of an object that only grows, answer by answer. Ten bytes are compared, and an answer brings up to a hundred.
struct GrowthLookTests {
  private static func version(_ tag: String?, _ size: Int) -> ObjectVersion {
    tag.map { .tagged("\"\($0)\"", size: size) } ?? ObjectVersion(.unknown, size: size)
  }

  /// The byte at each place; others in another recording.
  private static func bytes(_ range: Range<Int>, _ recording: Int = 0) -> [UInt8] {
    range.map { UInt8(truncatingIfNeeded: $0 + recording) }
  }

  private struct Run {
    var look: GrowthLook
    private(set) var step: GrowthLook.Step

    init(after end: Int?, tag: String? = "a", opening: Opening = .range(0..<50)) {
      let mark = end.map {
        GrowthMark(bytes(max(0, $0 - 10)..<$0), from: max(0, $0 - 10), of: version(tag, $0), span: 10)!
      }
      look = GrowthLook(after: mark, opening: opening, comparing: 10, most: 100)
      step = look.first
    }

    /// - Parameter total: what the answer says; `nil`: `*`.
    mutating func answer(
      _ range: Range<Int>, of total: Int?, tag: String? = "b", recording: Int = 0, acceptsRanges: Bool = true
    ) throws {
      let version = version(tag, total ?? range.upperBound)
      var object = ObjectDescription(
        version: version, marks: version.marks, isSettled: true, acceptsRanges: acceptsRanges,
        route: Route(origin: try ObjectURL("https://example.org/log")))
      (object.bytes, object.isSizeTold) = (range, total != nil)
      step = look.answered(object, bytes(range, recording))
    }

    var asked: Range<Int>? { if case .ask(.range(let range)) = step { range } else { nil } }
    var end: Int? { if case .found(let mark) = step { mark.end } else { nil } }
    var news: Range<Int> { look.start..<look.start + look.bytes.count }
    var reason: Failure.Reason? { if case .fail(let failure) = step { failure.reason } else { nil } }
  }

  @Test func `the bytes before the end come with what is new, in one request`() throws {
    var run = Run(after: 200)
    #expect(run.asked == 190..<290)
    try run.answer(190..<230, of: 230)
    #expect(run.end == 230)
    #expect(run.news == 200..<230)
  }

  @Test func `nothing is new`() throws {
    var run = Run(after: 200)
    try run.answer(190..<200, of: 200, tag: "a")
    #expect(run.end == 200)
    #expect(run.news.isEmpty)
  }

  @Test func `other bytes before the end are told, when a second answer has them too`() throws {
    var run = Run(after: 200)
    try run.answer(190..<230, of: 230, recording: 1)
    #expect(run.asked == 190..<290)
    try run.answer(190..<230, of: 230, recording: 1)
    #expect(run.step == .ended)
  }

  @Test func `one server that is behind ends nothing`() throws {
    var run = Run(after: 200)
    try run.answer(0..<0, of: 150)
    try run.answer(190..<230, of: 230)
    #expect(run.end == 230)
  }

  @Test func `a change elsewhere is not seen, together with growth or alone`() throws {
    // Only what is compared can be: all before it may be of another recording.
    for size in [200, 230] {
      var run = Run(after: 200)
      try run.answer(190..<size, of: size)
      #expect(run.end == size)
    }
  }

  @Test func `a shorter object is told`() throws {
    var run = Run(after: 200)
    try run.answer(0..<0, of: 50)
    try run.answer(0..<0, of: 50)
    #expect(run.step == .ended)
  }

  @Test func `an object of the same size with other bytes is told, whatever its tag`() throws {
    for tag in ["a", "b", nil] {
      var run = Run(after: 200, tag: tag)
      try run.answer(190..<200, of: 200, tag: tag, recording: 1)
      try run.answer(190..<200, of: 200, tag: tag, recording: 1)
      #expect(run.step == .ended)
    }
  }

  @Test func `of much that is new the end is looked at, in the same version`() throws {
    var run = Run(after: 200)
    try run.answer(190..<290, of: 1000)
    #expect(run.asked == 990..<1090)
    try run.answer(990..<1000, of: 1000)
    #expect(run.end == 1000)
    #expect(run.news == 200..<290)
  }

  @Test func `an end of another version does not count`() throws {
    var run = Run(after: 200)
    try run.answer(190..<290, of: 1000, tag: "b")
    try run.answer(990..<1090, of: 1100, tag: "c")
    // From where all bytes are known.
    #expect(run.asked == 280..<380)
    try run.answer(280..<380, of: 1200, tag: "d")
    #expect(run.asked == 1190..<1290)
    try run.answer(1190..<1200, of: 1200, tag: "d")
    #expect(run.end == 1200)
  }

  @Test func `an object that never rests is followed as far as its bytes have come`() throws {
    var run = Run(after: 200)
    var size = 1000
    while let asked = run.asked {
      size += 100
      try run.answer(asked.lowerBound..<min(asked.upperBound, size), of: size, tag: "v\(size)")
    }
    #expect(run.end == 560)
  }

  @Test func `without tag and date no end is jumped to`() throws {
    var run = Run(after: 200, tag: nil)
    try run.answer(190..<290, of: 350, tag: nil)
    #expect(run.asked == 280..<380)
    try run.answer(280..<350, of: 350, tag: nil)
    #expect(run.end == 350)
  }

  @Test func `where the size is not told, it goes on while answers are full`() throws {
    var run = Run(after: 200)
    try run.answer(190..<290, of: nil)
    #expect(run.asked == 280..<380)
    try run.answer(280..<300, of: nil)
    #expect(run.end == 300)
  }

  @Test func `the first end is the one of the opening, if it has that`() throws {
    var run = Run(after: nil)
    #expect(run.asked == 0..<50)
    try run.answer(0..<30, of: 30)
    #expect(run.end == 30)
    #expect(run.news == 0..<30)
  }

  @Test func `the first end costs a second request if the opening has it not`() throws {
    var run = Run(after: nil)
    try run.answer(0..<50, of: 1000)
    #expect(run.asked == 990..<1090)
    try run.answer(990..<1000, of: 1000)
    #expect(run.end == 1000)
    #expect(run.news == 0..<50)
  }

  @Test func `bytes of the opening are not kept if it changed before the end was seen`() throws {
    var run = Run(after: nil)
    try run.answer(0..<50, of: 1000, tag: "a")
    try run.answer(990..<1010, of: 1010, tag: "b")
    #expect(run.end == 1010)
    #expect(run.news == 990..<1010)
  }

  @Test func `an object without bytes grows into anything`() throws {
    var run = Run(after: nil)
    try run.answer(0..<0, of: 0)
    #expect(run.end == 0)
    run = Run(after: 0)
    #expect(run.asked == 0..<100)
    try run.answer(0..<20, of: 20, recording: 5)
    #expect(run.end == 20)
  }

  @Test(arguments: [Int.max, .max - 1, .max - 99]) func `an object may be as long as can be said`(size: Int) throws {
    var run = Run(after: nil)
    try run.answer(0..<50, of: size)
    #expect(run.asked == size - 10..<(size < .max - 90 ? size + 90 : .max))
    try run.answer(size - 10..<size, of: size)
    #expect(run.end == size && run.news == 0..<50)
    run = Run(after: size)
    #expect(run.asked?.lowerBound == size - 10)
    try run.answer(size - 10..<size, of: size)
    #expect(run.end == size)
  }

  @Test func `answers that are cut before the known end are asked for again, eight times at most`() throws {
    var run = Run(after: 200)
    var count = 0
    while run.asked != nil {
      count += 1
      try run.answer(190..<195, of: 230)
    }
    #expect(count == 8)
    #expect(run.reason == .tooManyCuts)
  }

  @Test func `a server without ranges is followed only while its object is short`() throws {
    var run = Run(after: 200)
    try run.answer(0..<230, of: 230, acceptsRanges: false)
    #expect(run.end == 230)
    #expect(run.news == 200..<230)
    run = Run(after: 200)
    try run.answer(0..<0, of: 230, acceptsRanges: false)
    #expect(run.reason == .ignoresRanges)
    // It rests.
    run = Run(after: 200)
    try run.answer(0..<0, of: 200, tag: "a", acceptsRanges: false)
    #expect(run.end == 200)
  }
}
