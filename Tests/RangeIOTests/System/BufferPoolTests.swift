import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BufferPoolTests {
  private static let mebibyte = 1024 * 1024

  @Test func `a small buffer is exactly as large as asked and not pooled`() throws {
    let pool = BufferPool(keeping: .mebibytes(4))
    for count in [0, 1, 4096, BufferPool.minPooledBytes - 1] {
      do {
        let buffer = try pool.buffer(count)
        #expect(buffer.capacity == count)
        #expect(buffer.memory.count == count)
      }
      #expect(pool.idleByteCount == 0)
    }
  }

  @Test func `a big buffer comes back to the same address when its last slice is gone`() throws {
    let pool = BufferPool(keeping: .mebibytes(4))
    let first: Int
    var slice: Bytes?
    do {
      let buffer = try pool.buffer(Self.mebibyte)
      buffer.memory[10] = 77
      first = Int(bitPattern: buffer.base)
      slice = buffer.bytes(Self.mebibyte).slice(10..<11)
    }
    #expect(pool.idleByteCount == 0, "a slice is in use")
    let second = try pool.buffer(Self.mebibyte)
    #expect(Int(bitPattern: second.base) != first, "and its memory is not given away")
    #expect(slice?[0] == 77)
    slice = nil
    #expect(pool.idleByteCount == Self.mebibyte)
    let third = try pool.buffer(Self.mebibyte)
    #expect(Int(bitPattern: third.base) == first)
    #expect(pool.idleByteCount == 0)
  }

  @Test func `a pooled buffer says what memory it keeps`() throws {
    let pool = BufferPool(keeping: .mebibytes(4))
    let count = Self.mebibyte + 1
    let bytes = try pool.buffer(count).bytes(count)
    #expect(bytes.count == count)
    #expect(bytes.backingByteCount == BufferPool.roundedUp(count))
    #expect(bytes.slice(0..<1).compacted().backingByteCount == 1)
  }

  @Test func `all of a pooled buffer can be written to`() throws {
    let pool = BufferPool(keeping: .mebibytes(4))
    for count in [BufferPool.minPooledBytes, BufferPool.minPooledBytes + 1, 1_000_003] {
      let buffer = try pool.buffer(count)
      #expect(buffer.capacity == count)
      buffer.memory.initializeMemory(as: UInt8.self, repeating: 5)
      #expect(buffer.bytes(count).last == 5)
    }
  }

  @Test func `rounding wastes at most a quarter of what was asked, and a fifth of the buffer`() {
    var random = TestRandom(1)
    var counts = (0..<20_000).map { _ in BufferPool.minPooledBytes + random.below(1 << (18 + random.below(25))) }
    for exponent in 17...40 { counts += [(1 << exponent) - 1, 1 << exponent, (1 << exponent) + 1] }
    for count in counts where count >= BufferPool.minPooledBytes {
      let rounded = BufferPool.roundedUp(count)
      #expect(rounded >= count)
      #expect(rounded % 4096 == 0)
      #expect((rounded - count) * 4 <= count, "\(count) → \(rounded)")
      #expect((rounded - count) * 5 <= rounded, "\(count) → \(rounded)")
      #expect(BufferPool.roundedUp(rounded) == rounded)
    }
  }

  @Test func `sizes that round to the same share buffers`() throws {
    let pool = BufferPool(keeping: .mebibytes(4))
    let first = try Int(bitPattern: pool.buffer(1_000_000).base)
    let second = try Int(bitPattern: pool.buffer(1_040_000).base)
    #expect(first == second)
  }

  @Test func `idle buffers never exceed the limit`() throws {
    let pool = BufferPool(keeping: .mebibytes(3))
    var inUse = try (0..<8).map { _ in try pool.buffer(Self.mebibyte) }
    #expect(pool.idleByteCount == 0)
    while !inUse.isEmpty {
      inUse.removeLast()
      #expect(pool.idleByteCount == Swift.min(8 - inUse.count, 3) * Self.mebibyte)
    }
  }

  @Test func `the largest buffers are not kept`() throws {
    let pool = BufferPool(keeping: .mebibytes(64))
    _ = try pool.buffer(BufferPool.maxPooledBytes)
    #expect(pool.idleByteCount == BufferPool.maxPooledBytes)
    _ = try pool.buffer(BufferPool.maxPooledBytes + 1)
    #expect(pool.idleByteCount == BufferPool.maxPooledBytes)
  }

  @Test func `a pool that keeps nothing gives buffers all the same`() throws {
    let pool = BufferPool(keeping: .bytes(0))
    _ = try pool.buffer(Self.mebibyte)
    #expect(pool.idleByteCount == 0)
  }

  @Test func `idle buffers of sizes no longer asked for make room`() throws {
    let pool = BufferPool(keeping: .mebibytes(2))
    do {
      let old = try (0..<8).map { _ in try pool.buffer(256 * 1024) }
      #expect(old.count == 8)
    }
    #expect(pool.idleByteCount == 2 * Self.mebibyte, "full of small ones")
    var addresses: [Int] = []
    for _ in 0..<2 { try addresses.append(Int(bitPattern: pool.buffer(Self.mebibyte).base)) }
    #expect(addresses[0] == addresses[1], "the big one was kept")
    #expect(pool.idleByteCount <= 2 * Self.mebibyte)
  }

  @Test(arguments: [1 << 60, Int.max - 4096, Int.max - 1, Int.max])
  func `more memory than there is is an error that can be tried again, not a trap`(count: Int) throws {
    let pool = BufferPool(keeping: .mebibytes(1))
    let error = #expect(throws: ReadError.self) { _ = try pool.buffer(count) }
    #expect(error?.code == .resourcesExhausted)
    #expect(error?.isTransient == true)
  }

  @Test func `bytes outlive their pool`() throws {
    var pool: BufferPool? = BufferPool(keeping: .mebibytes(1))
    let bytes: Bytes
    do {
      let buffer = try #require(pool).buffer(Self.mebibyte)
      buffer.memory.initializeMemory(as: UInt8.self, repeating: 9)
      bytes = buffer.bytes(Self.mebibyte)
    }
    pool = nil
    #expect(bytes.allSatisfy { $0 == 9 })
  }
}
