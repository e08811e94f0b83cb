import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BytesTests {
  private let content: [UInt8] = Array(0..<100)

  // MARK: making

  @Test func `bytes hold what they were made of`() {
    #expect(Array(Bytes(content)) == content)
    #expect(Array(Bytes(sequence(first: UInt8(1)) { $0 < 9 ? $0 + 1 : nil })) == Array(1...9))
    #expect(Array(content.withUnsafeBytes { Bytes(copying: $0) }) == content)
    #expect(Array(Bytes(copying: content.span.bytes)) == content)
    #expect(Array([0x50, 0x4B, 3, 4] as Bytes) == [0x50, 0x4B, 3, 4])
  }

  @Test func `bytes are a copy of the array they were made of`() {
    var array = content
    let bytes = Bytes(array)
    array[0] = 255
    #expect(bytes[0] == 0)
  }

  @Test func `empty bytes come from every initialiser`() {
    let all = [
      Bytes(), Bytes([]), [], Bytes(copying: UnsafeRawBufferPointer(start: nil, count: 0)), Bytes(concatenating: []),
      Bytes(concatenating: [Bytes(), Bytes()]), Bytes(count: 0) { _ in Issue.record("nothing to fill") },
      Bytes(unsafeNoCopy: UnsafeRawBufferPointer(start: nil, count: 0), owner: Witness()),
    ]
    for bytes in all {
      #expect(bytes.count == 0)
      #expect(bytes.isEmpty)
      #expect(bytes.isContiguous)
      #expect(bytes.backingByteCount == 0)
      #expect(Array(bytes) == [])
      #expect(bytes.pieceCounts == [])
      #expect(bytes.withUnsafeBytes { $0.count } == 0)
      #expect(bytes.withSpan { $0.byteCount } == 0)
      #expect(bytes.contiguous() == bytes)
      #expect(bytes.compacted() == Bytes())
      #expect(bytes == Bytes())
    }
  }

  @Test func `filling writes straight into the bytes`() {
    let bytes = Bytes(count: 4) { buffer in
      #expect(buffer.count == 4)
      for index in 0..<4 { buffer[index] = UInt8(index * 2) }
    }
    #expect(Array(bytes) == [0, 2, 4, 6])
  }

  @Test func `an error of filling is thrown with its type`() {
    #expect(throws: Refusal.no) { try Bytes(count: 4) { _ throws(Refusal) in throw .no } }
  }

  @Test func `a negative count traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes(count: -1) { _ in }) }
  }

  @Test func `shown memory is not copied and lives as long as its last slice`() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { memory.deallocate() }
    for index in 0..<64 { memory[index] = UInt8(index) }
    weak var witness: Witness?
    var slice: Bytes?
    do {
      let owner = Witness()
      witness = owner
      let bytes = Bytes(unsafeNoCopy: UnsafeRawBufferPointer(memory), owner: owner)
      #expect(bytes.address == UnsafeRawPointer(memory.baseAddress))
      #expect(bytes.backingByteCount == 64)
      slice = bytes.slice(10..<12)
    }
    #expect(witness != nil)
    #expect(slice.map(Array.init) == [10, 11])
    slice = nil
    #expect(witness == nil)
  }

  // MARK: slices

  @Test func `a slice shares memory and counts from zero`() throws {
    let bytes = Bytes(content)
    let slice = bytes.slice(10..<20)
    #expect(slice.count == 10)
    #expect(slice[0] == 10)
    #expect(Array(slice) == Array(10..<20))
    #expect(slice.address == bytes.address.map { $0 + 10 })
  }

  @Test func `a slice of a slice of a slice is the same as one slice`() {
    for bytes in [Bytes(content), .cut(content, every: 7)] {
      let nested = bytes.slice(5..<95).slice(10..<80).slice(3..<50)
      #expect(nested == bytes.slice(18..<65))
      #expect(Array(nested) == Array(content[18..<65]))
    }
  }

  @Test(arguments: [0..<0, 100..<100, 50..<50, 0..<100, 99..<100])
  func `slices at the edges`(range: Range<Int>) {
    for bytes in [Bytes(content), .cut(content, every: 7)] {
      #expect(Array(bytes.slice(range)) == Array(content[range]))
    }
  }

  @Test func `an empty slice keeps nothing alive`() {
    #expect(Bytes(content).slice(5..<5).backingByteCount == 0)
    #expect(Bytes.cut(content, every: 7).slice(5..<5).backingByteCount == 0)
  }

  @Test func `a slice past the end traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2, 3]).slice(2..<4)) }
  }

  @Test func `a slice before the start traps`() async {
    await #expect(processExitsWith: .failure) { print(Bytes([1, 2, 3]).slice(1..<3).slice(-1..<2)) }
  }

  // MARK: ropes

  @Test func `a rope shows its pieces without copying them`() {
    let first = Bytes([1, 2, 3])
    let second = Bytes([4, 5])
    let rope = Bytes(concatenating: [first, Bytes(), second])
    #expect(Array(rope) == [1, 2, 3, 4, 5])
    #expect(!rope.isContiguous)
    #expect(rope.pieceCounts == [3, 2])
    #expect(rope.slice(0..<3).address == first.address)
    #expect(rope.slice(3..<5).address == second.address)
  }

  @Test func `one piece concatenated stays that piece`() {
    let piece = Bytes(content)
    let same = Bytes(concatenating: [Bytes(), piece, Bytes()])
    #expect(same.isContiguous)
    #expect(same.address == piece.address)
  }

  @Test func `a rope of ropes is flat and holds only what lies inside the slices`() {
    let rope = Bytes.cut(content, every: 10)
    let nested = Bytes(concatenating: [rope.slice(5..<25), Bytes([200]), rope.slice(90..<100)])
    #expect(nested.pieceCounts == [5, 10, 5, 1, 10])
    #expect(Array(nested) == Array(content[5..<25]) + [200] + Array(content[90..<100]))
  }

  @Test func `a slice within one piece of a rope is contiguous`() {
    let rope = Bytes.cut(content, every: 10)
    for start in 0..<100 {
      for end in start...Swift.min(start + 12, 100) where start < end {
        let slice = rope.slice(start..<end)
        #expect(slice.isContiguous == (start / 10 == (end - 1) / 10), "\(start)..<\(end)")
      }
    }
  }

  // MARK: contiguous, compacted, backing

  @Test func `contiguous copies a rope and nothing else`() {
    let piece = Bytes(content)
    #expect(piece.contiguous().address == piece.address)
    #expect(piece.slice(3..<9).contiguous().address == piece.address.map { $0 + 3 })

    let rope = Bytes.cut(content, every: 10)
    let whole = rope.contiguous()
    #expect(whole.isContiguous)
    #expect(whole.pieceCounts == [100])
    #expect(Array(whole) == content)
    #expect(whole.backingByteCount == 100)

    let inside = rope.slice(11..<19)
    #expect(inside.contiguous().backingByteCount == 10, "the piece is shown, not the whole rope, and not a copy")
  }

  @Test func `the backing of a slice is that of the whole`() {
    #expect(Bytes(content).backingByteCount == 100)
    #expect(Bytes(content).slice(0..<1).backingByteCount == 100)
    let rope = Bytes.cut(content, every: 10)
    #expect(rope.backingByteCount == 100)
    #expect(rope.slice(0..<1).backingByteCount == 100)
  }

  @Test func `a backing that several pieces of a rope share counts once`() {
    let piece = Bytes(content)
    let swapped = Bytes(concatenating: [piece.slice(50..<100), piece.slice(0..<50)])
    #expect(swapped.backingByteCount == 100)
    #expect(!swapped.compacted().isContiguous, "nothing to gain by a copy")
  }

  @Test(arguments: [(79, true), (80, false), (81, false), (100, false), (1, true)])
  func `compacted copies below four fifths`(count: Int, isCopy: Bool) {
    for bytes in [Bytes(content), .cut(content, every: 10)] {
      let small = bytes.slice(0..<count)
      let compacted = small.compacted()
      #expect(compacted == small)
      #expect(compacted.backingByteCount == (isCopy ? count : 100))
    }
  }

  @Test func `compacted lets go of the old backing`() {
    weak var witness: Witness?
    var kept = Bytes()
    do {
      let owner = Witness()
      witness = owner
      kept = owner.memory.withUnsafeBytes { Bytes(unsafeNoCopy: $0, owner: owner).slice(1..<3).compacted() }
    }
    #expect(witness == nil)
    #expect(Array(kept) == [1, 2])
  }

  // MARK: reading the memory

  @Test func `forEachSpan visits every piece in order`() {
    for size in [1, 3, 10, 99, 100] {
      var seen: [UInt8] = []
      Bytes.cut(content, every: size).slice(2..<97).forEachSpan { span in
        for index in span.byteOffsets { seen.append(span.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
      }
      #expect(seen == Array(2..<97), "pieces of \(size)")
    }
  }

  @Test func `an error thrown by forEachSpan's body ends it and keeps its type`() {
    var visits = 0
    #expect(throws: Refusal.no) {
      try Bytes.cut(content, every: 10).forEachSpan { _ throws(Refusal) in
        visits += 1
        if visits == 3 { throw .no }
      }
    }
    #expect(visits == 3)
  }

  @Test func `withSpan and withUnsafeBytes show everything at once`() {
    for bytes in [Bytes(content), .cut(content, every: 9)] {
      #expect(bytes.withUnsafeBytes { Array($0) } == content)
      #expect(bytes.withSpan { span in span.byteCount } == 100)
      #expect(bytes.withSpan { $0.withUnsafeBytes { Array($0) } } == content)
    }
    #expect(throws: Refusal.no) { try Bytes(content).withSpan { _ throws(Refusal) in throw .no } }
  }

  @Test func `copyBytes fills the start of a larger buffer and leaves the rest alone`() {
    for bytes in [Bytes(content), .cut(content, every: 9)] {
      var target = [UInt8](repeating: 255, count: 110)
      target.withUnsafeMutableBytes { bytes.copyBytes(to: $0) }
      #expect(target == content + [UInt8](repeating: 255, count: 10))
    }
    Bytes().copyBytes(to: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  }

  @Test func `the memory of big bytes is pages of their own, that go back to the system`() {
    // The first may make an allocator keep the next ones between smaller pieces, which hold its memory.
    for count in [1 << 21, 1 << 20, BufferPool.minPooledBytes] {
      let all = (0..<4).map { _ in Bytes(count: count) { _ = $0.initializeMemory(as: UInt8.self, repeating: 7) } }
      for bytes in all + [Bytes([UInt8](repeating: 7, count: count))] {
        #expect(bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) % 4096 } == 0)
        #expect(bytes.count == count && bytes.allSatisfy { $0 == 7 })
      }
    }
  }

  @Test func `copyBytes to a buffer that is too small traps`() async {
    await #expect(processExitsWith: .failure) {
      var target: [UInt8] = [0, 0]
      target.withUnsafeMutableBytes { Bytes([1, 2, 3]).copyBytes(to: $0) }
    }
  }
}

/// An owner of memory whose end can be observed.
private final class Witness: Sendable {
  let memory: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7]
}
