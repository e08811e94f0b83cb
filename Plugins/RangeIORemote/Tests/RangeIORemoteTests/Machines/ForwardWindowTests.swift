import RangeIO
import Testing

@testable import RangeIORemote

/// The bytes at hand of a body that is read forward.
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
    #expect(pushed == ForwardWindow.maxAhead && window.low == 0)
    window.end(slow)
    #expect(window.count == ForwardWindow.maxBehind && window.wantsMore)
    for _ in 0..<20 {
      window.push(bytes(pushed..<pushed + mebibyte))
      pushed += mebibyte
      while window.take(fast) != nil {}
      #expect(window.count <= ForwardWindow.maxBehind + mebibyte)
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

  @Test func `what no read has had stays for the next one, also if nothing behind it is kept`() {
    var window = ForwardWindow(reaching: 0)
    let first = window.begin(0..<1000)
    window.push(bytes(0..<900))
    #expect(window.take(first)?.count == 900)
    window.push(bytes(900..<2500))
    #expect(window.take(first)?.count == 100)
    window.end(first)
    window.keepNothingBehind()
    let second = window.begin(1000..<2500)
    #expect(window.take(second)?.count == 1500)
    window.end(second)
    #expect(window.count == 0 && window.reaches(2500))
  }

  @Test func `a read far ahead is refused, unless others want what lies before it, or a body had come as far`() {
    var window = ForwardWindow(reaching: 0)
    #expect(window.reaches(ForwardWindow.maxAhead) && !window.reaches(ForwardWindow.maxAhead + 1))
    _ = window.begin(0..<50 * mebibyte)
    #expect(window.reaches(50 * mebibyte + ForwardWindow.maxAhead))
    window = ForwardWindow(reaching: 200 * mebibyte)
    #expect(window.reaches(200 * mebibyte))
    // What comes before it is passed over, and not held.
    let late = window.begin(200 * mebibyte..<201 * mebibyte)
    for start in stride(from: 0, to: 201 * mebibyte, by: mebibyte) {
      #expect(window.wantsMore && window.count <= ForwardWindow.maxBehind)
      window.push(bytes(start..<start + 16))
      window.push(Bytes([UInt8](repeating: 0, count: mebibyte - 16)))
    }
    #expect(window.take(late)?.count == 16 && window.take(late)?.count == mebibyte - 16 && !window.wantsMore)
  }

  @Test func `tiny pieces of a body are put together, and taken in few steps`() {
    var window = ForwardWindow(reaching: 0, keeping: 0)
    let early = window.begin(0..<Int.max)
    let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    var taken: [UInt8] = []
    // One reader takes some on the way: what it has stays as it was, while more is added beside it.
    var part: Bytes?
    for start in stride(from: 0, to: bytes.count, by: 16) {
      window.push(Bytes(bytes[start..<start + 16]))
      if start == 1600 { part = window.take(early) }
    }
    #expect(part == Bytes(bytes[..<1616]))
    taken += part ?? Bytes()
    var steps = 0
    while let part = window.take(early) { (taken, steps) = (taken + part, steps + 1) }
    #expect(taken == bytes && steps <= bytes.count >> 16)
    window.push(Bytes([1]))
    #expect(window.count <= 1 << 16)
  }

  @Test func `large and tiny pieces, in any order, give each reader its bytes`() {
    for seed in UInt64(0)..<50 {
      var random = SeededNumbers(seed)
      var window = ForwardWindow(reaching: 0, keeping: Int(random.next() % 50_000))
      let bytes = (0..<400_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var readers: [(number: Int, range: Range<Int>, taken: [UInt8])] = []
      for _ in 0..<5 {
        let start = Int(random.next() % 300_000)
        let range = start..<start + 1 + Int(random.next() % 100_000)
        readers.append((window.begin(range), range, []))
      }
      var position = 0
      while position < bytes.count {
        let count = min(bytes.count - position, random.next() % 3 == 0 ? 40_000 : 1 + Int(random.next() % 200))
        window.push(Bytes(bytes[position..<position + count]))
        position += count
        let index = Int(random.next() % 5)
        while let part = window.take(readers[index].number) { readers[index].taken += part }
      }
      for index in readers.indices {
        while let part = window.take(readers[index].number) { readers[index].taken += part }
        #expect(readers[index].taken == Array(bytes[readers[index].range]), "seed \(seed)")
        window.end(readers[index].number)
      }
    }
  }
}
