import RangeIO
import Testing

@testable import RangeIORemote

/// Reads that join the bytes of an opening while they come.
@Suite struct OpeningWindowTests {
  private func opening(_ range: Range<Int> = 0..<1000, stays: Bool = false) -> OpeningWindow<Int> {
    var opening = OpeningWindow<Int>()
    opening.begin(range, stays: stays)
    return opening
  }

  private func joined(_ number: Int?) throws -> Int { try #require(number) }

  @Test func `a read waits for its own bytes, and no longer`() throws {
    var opening = opening()
    let (first, second) = (try joined(opening.begin(0..<100)), try joined(opening.begin(50..<600)))
    #expect(opening.next(first, 1).isWait && opening.next(second, 2).isWait)
    #expect(opening.push(numbered(0..<99)) == [])
    #expect(opening.push(numbered(99..<100)) == [1])
    #expect(opening.next(first, 1).bytes == numbered(0..<100))
    opening.end(first, taken: 100)
    #expect(opening.push(numbered(100..<599)) == [])
    #expect(opening.push(numbered(599..<600)) == [2])
    #expect(opening.next(second, 2).bytes == numbered(50..<600))
    #expect(!opening.isOver && opening.isArriving)
  }

  @Test func `what is here is taken at once, also while more comes`() throws {
    var opening = opening()
    #expect(opening.push(numbered(0..<300)) == [])
    let read = try joined(opening.begin(100..<300))
    #expect(opening.next(read, 1).bytes == numbered(100..<300))
  }

  @Test func `a read that does not wait gets what is here`() throws {
    var opening = opening()
    #expect(opening.push(numbered(0..<300)) == [] && opening.begin(300..<400, waits: false) == nil)
    let read = try joined(opening.begin(100..<600, waits: false))
    #expect(opening.next(read, 1).bytes == numbered(100..<300))
    opening.end(read, taken: 200)
    let late = try joined(opening.begin(300..<400))
    #expect(opening.next(late, 1).isWait)
  }

  @Test func `a read that goes on beyond them gets what comes, one that begins before or behind them nothing`() throws {
    var opening = opening(1000..<2000)
    #expect(opening.begin(500..<1500) == nil && opening.begin(0..<10) == nil && opening.begin(2000..<2001) == nil)
    let read = try joined(opening.begin(1900..<3000))
    #expect(opening.next(read, 1).isWait)
    #expect(opening.push(numbered(1000..<2000)) == [1])
    #expect(opening.next(read, 1).bytes == numbered(1900..<2000))
  }

  @Test func `a read that begins before them and ends within asks for what comes before`() {
    var opening = opening(1000..<2000)
    for (range, start) in [
      (500..<1500, 1000), (999..<2000, 1000), (0..<1001, 1000), (0..<1000, nil), (1000..<1500, nil), (500..<2001, nil),
      (2000..<2100, nil),
    ] as [(Range<Int>, Int?)] {
      #expect(opening.start(within: range) == start, "\(range)")
    }
    _ = opening.push(numbered(1000..<1200))
    _ = opening.finish()
    #expect(opening.start(within: 500..<1200) == 1000 && opening.start(within: 500..<1500) == nil)
    _ = opening.finish(isBelieved: false)
    #expect(opening.start(within: 500..<1200) == nil)
  }

  @Test(arguments: [0, 40, 100, 700]) func `a body that breaks resumes all, with what has come`(_ count: Int) throws {
    var opening = opening()
    let reads = try [0..<50, 20..<1000].map { try joined(opening.begin($0)) }
    for read in reads { #expect(opening.next(read, read).isWait) }
    let early = opening.push(numbered(0..<count))
    #expect(early == (count >= 50 ? [reads[0]] : []))
    #expect(Set(early + opening.finish()) == Set(reads))
    #expect(opening.range == 0..<count && !opening.isArriving && opening.isOver == (count == 0))
    #expect(opening.next(reads[0], 0).bytes == numbered(0..<min(50, count)))
    #expect(opening.next(reads[1], 0).bytes == numbered(20..<max(20, count)))
  }

  @Test func `of an answer that is not believed nothing counts, nor what comes after all`() throws {
    var opening = opening()
    let read = try joined(opening.begin(0..<1000))
    #expect(opening.next(read, 1).isWait && opening.push(numbered(0..<900)) == [])
    #expect(opening.finish(isBelieved: false) == [1] && opening.push(numbered(900..<1000)) == [])
    #expect(opening.next(read, 1).bytes == Bytes() && opening.begin(0..<10) == nil)
    opening.end(read, taken: 0)
    #expect(opening.isDone && opening.finish() == [] && opening.begin(0..<10) == nil)
  }

  @Test func `a read that is cancelled is resumed no more, and stops nothing`() throws {
    var opening = opening()
    let (first, second) = (try joined(opening.begin(0..<100)), try joined(opening.begin(0..<200)))
    #expect(opening.next(first, 1).isWait && opening.next(second, 2).isWait)
    opening.end(first, taken: 0)
    #expect(opening.push(numbered(0..<150)) == [] && opening.push(numbered(150..<200)) == [2])
    opening.end(second, taken: 0)
    #expect(!opening.isOver && opening.isArriving && opening.begin(0..<10) != nil)
  }

  @Test func `a read that had all ends them, when the others have theirs`() throws {
    var opening = opening()
    let (all, other) = (try joined(opening.begin(0..<1000)), try joined(opening.begin(10..<20)))
    #expect(opening.next(all, 1).isWait && opening.next(other, 2).isWait)
    #expect(opening.push(numbered(0..<1000)).sorted() == [1, 2] && opening.finish() == [])
    opening.end(all, taken: 1000)
    #expect(opening.isOver && !opening.isDone && opening.begin(0..<10) == nil)
    #expect(opening.next(other, 2).bytes == numbered(10..<20))
    opening.end(other, taken: 10)
    #expect(opening.isDone)
  }

  @Test func `eight reads end them, counted from when all has come; without ranges none does`() throws {
    for stays in [false, true] {
      var opening = opening(stays: stays)
      for _ in 0..<20 {
        let read = try joined(opening.begin(0..<1))
        opening.end(read, taken: 1)
      }
      _ = opening.push(numbered(0..<1000))
      _ = opening.finish()
      for count in 1...8 {
        // One elsewhere counts, too.
        let read = opening.begin(count == 3 ? 5000..<5001 : 0..<1000 - count)
        #expect((read == nil) == (count == 3))
        if let read { opening.end(read, taken: 1000 - count) }
      }
      #expect(opening.isDone == !stays && (opening.begin(0..<10) == nil) == !stays)
    }
  }

  @Test func `what came of an answer before is let go of when the next one begins`() throws {
    final class Owner: Sendable {}
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 20_000, alignment: 1)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    defer { memory.deallocate() }
    var owner: Owner? = Owner()
    weak let alive = owner
    var opening = OpeningWindow<Int>()
    _ = try opening.push(Bytes(unsafeNoCopy: UnsafeRawBufferPointer(memory), owner: #require(owner)))
    owner = nil
    #expect(alive != nil)
    opening.restart()
    #expect(alive == nil)
    _ = opening.push(numbered(0..<300))
    opening.hold(0..<300, stays: true)
    let read = try joined(opening.begin(100..<300))
    #expect(opening.next(read, 1).bytes == numbered(100..<300))
  }

  @Test func `few bytes hold little memory, once all have come`() throws {
    var ended = opening(0..<100)
    _ = ended.push(numbered(0..<60))
    _ = ended.push(numbered(60..<100))
    _ = ended.finish()
    var held = OpeningWindow<Int>()
    _ = held.push(numbered(0..<100))
    held.hold(0..<100, stays: true)
    for opening in [ended, held] {
      var opening = opening
      let read = try joined(opening.begin(0..<100))
      let step = opening.next(read, 1)
      #expect(step.bytes == numbered(0..<100) && step.memory < 200)
    }
  }

  @Test func `all of an object without ranges stays, and a part of it does not`() throws {
    var opening = opening(stays: true)
    _ = opening.push(numbered(0..<400))
    _ = opening.finish()
    let read = try joined(opening.begin(0..<1000))
    #expect(opening.next(read, 1).bytes == numbered(0..<400))
    opening.end(read, taken: 400)
    #expect(opening.isDone)
  }

  @Test func `what came before the head that counts is not theirs`() throws {
    var opening = OpeningWindow<Int>()
    #expect(opening.begin(0..<10) == nil && opening.push(numbered(500..<800)) == [])
    opening.begin(100..<200, stays: false)
    _ = opening.push(numbered(100..<200))
    let read = try joined(opening.begin(100..<200))
    #expect(opening.next(read, 1).bytes == numbered(100..<200))
    // The body told the size, so the description came after it.
    opening = OpeningWindow()
    _ = opening.push(numbered(500..<800))
    _ = opening.push(numbered(0..<300))
    opening.hold(0..<300, stays: true)
    let late = try joined(opening.begin(0..<300))
    #expect(opening.next(late, 1).bytes == numbered(0..<300) && !opening.isArriving)
  }
}

/// The bytes of an object in these tests.
func numbered(_ range: Range<Int>) -> Bytes { Bytes(range.map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }) }

extension OpeningWindow.Step {
  var isWait: Bool { if case .wait = self { true } else { false } }

  /// What is there, put together; `nil`: the read waits.
  var bytes: Bytes? { if case .take(let pieces) = self { Bytes(pieces.flatMap { Array($0) }) } else { nil } }

  /// The memory that these bytes keep alive.
  var memory: Int { if case .take(let pieces) = self { pieces.reduce(0) { $0 + $1.backingByteCount } } else { 0 } }
}
