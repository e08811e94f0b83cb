import RangeIO
import Testing

@testable import RangeIOHTTPTransport

/// What is at hand of a body that is read forward.
struct ForwardWindowTests {
  private func bytes(_ range: Range<Int>) -> Bytes { Bytes([UInt8](repeating: 1, count: range.count)) }
  private let mebibyte = 1 << 20

  @Test func `reads that come nearly in order get their bytes, each once`() {
    var window = ForwardWindow(reaching: 0)
    let second = window.begin(1000..<2000)
    let first = window.begin(0..<1000)
    #expect(window.wantsMore && window.take(first) == nil)
    window.push(Bytes((0..<1500).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(window.take(first) == Bytes((0..<1000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(window.take(second) == Bytes((1000..<1500).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(window.take(first) == nil && window.take(second) == nil && window.wantsMore)
    window.push(Bytes((1500..<2500).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(window.take(second) == Bytes((1500..<2000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(!window.wantsMore && !window.isIdle)
    window.end(first)
    window.end(second)
    #expect(window.isIdle)
    // What came too far is there for the next one.
    let third = window.begin(2000..<2500)
    #expect(!window.wantsMore && window.take(third)?.count == 500)
  }

  @Test func `what is held is bounded: by what late reads may want, and by the slowest reader`() {
    var window = ForwardWindow(reaching: 0)
    let slow = window.begin(0..<100 * mebibyte)
    var fast = window.begin(0..<100 * mebibyte)
    var pushed = 0
    while window.wantsMore {
      window.push(bytes(pushed..<pushed + mebibyte))
      pushed += mebibyte
      while window.take(fast) != nil {}
    }
    #expect(pushed == ForwardWindow.mostAhead && window.low == 0)
    window.end(slow)
    #expect(window.count == ForwardWindow.mostBehind && window.wantsMore)
    for _ in 0..<20 {
      window.push(bytes(pushed..<pushed + mebibyte))
      pushed += mebibyte
      while window.take(fast) != nil {}
      #expect(window.count <= ForwardWindow.mostBehind + mebibyte)
    }
    #expect(!window.reaches(0) && window.reaches(window.low))
    window.end(fast)
    fast = window.begin(window.low..<window.position)
    var count = 0
    while let part = window.take(fast) { count += part.count }
    #expect(count == window.count)
    window.forget()
    #expect(window.count == 0 && !window.reaches(window.position - 1) && window.reaches(window.position))
  }

  @Test func `a read far ahead is refused, unless others want what lies before it, or a body had come as far`() {
    var window = ForwardWindow(reaching: 0)
    #expect(window.reaches(ForwardWindow.mostAhead) && !window.reaches(ForwardWindow.mostAhead + 1))
    _ = window.begin(0..<50 * mebibyte)
    #expect(window.reaches(50 * mebibyte + ForwardWindow.mostAhead))
    window = ForwardWindow(reaching: 200 * mebibyte)
    #expect(window.reaches(200 * mebibyte))
    // What comes before it is passed over, and not held.
    let late = window.begin(200 * mebibyte..<201 * mebibyte)
    for start in stride(from: 0, to: 201 * mebibyte, by: mebibyte) {
      #expect(window.wantsMore && window.count <= ForwardWindow.mostBehind)
      window.push(bytes(start..<start + 16))
      window.push(Bytes([UInt8](repeating: 0, count: mebibyte - 16)))
    }
    #expect(window.take(late)?.count == 16 && window.take(late)?.count == mebibyte - 16 && !window.wantsMore)
  }
}
