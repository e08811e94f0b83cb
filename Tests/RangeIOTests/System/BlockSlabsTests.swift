import CRangeIOSystem
import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct BlockSlabsTests {
  private struct Taken {
    let memory: UnsafeMutableRawPointer
    let count: Int
    let word: UInt64
  }

  @Test(arguments: 1...5) func `blocks are their owner's until they are given back, whatever happens to their pages`(
    seed: UInt64
  ) throws {
    let slabs = BlockSlabs(keeping: .kibibytes(256))
    var random = SeededGenerator(seed: seed)
    var taken: [Taken] = []
    for round in 0..<40_000 {
      // Blocks of one size come to the fore, and go again.
      let count = 4096 << ((round / 8000 + Int.random(in: 0..<8, using: &random) / 7) % 5)
      if taken.count < 2000 - round % 8000 / 5, Bool.random(using: &random) || taken.isEmpty {
        let memory = try #require(slabs.take(count))
        #expect(UInt(bitPattern: memory) % UInt(count) == 0)
        let word = random.next()
        memory.storeBytes(of: word, as: UInt64.self)
        memory.storeBytes(of: ~word, toByteOffset: count - 8, as: UInt64.self)
        taken.append(Taken(memory: memory, count: count, word: word))
      } else {
        let one = taken.remove(at: Int.random(in: 0..<taken.count, using: &random))
        #expect(one.memory.load(as: UInt64.self) == one.word)
        #expect(one.memory.load(fromByteOffset: one.count - 8, as: UInt64.self) == ~one.word)
        slabs.giveBack(one.memory, one.count)
      }
    }
    let used = taken.reduce(0) { $0 + $1.count }
    // One slab's worth more, at most, than the share that is kept.
    #expect(slabs.idleByteCount <= max(256 << 10, used / 16) + 8 << 20, "seed \(seed)")
    for one in taken {
      #expect(one.memory.load(as: UInt64.self) == one.word)
      slabs.giveBack(one.memory, one.count)
    }
    // An empty one of each size is kept.
    #expect(slabs.byteCount <= 4 * 4 << 20 + 8 << 20)
  }

  @Test func `when all but a few blocks are given back, so are their pages`() throws {
    let slabs = BlockSlabs(keeping: .mebibytes(1))
    let blocks = try (0..<8192).map { _ in try #require(slabs.take(4096)) }
    for (number, block) in blocks.enumerated() where number % 64 != 0 { slabs.giveBack(block, 4096) }
    #expect(slabs.idleByteCount <= 1 << 20 + 4 << 20)
    #expect(slabs.byteCount >= 32 << 20)
    for (number, block) in blocks.enumerated() where number % 64 == 0 { slabs.giveBack(block, 4096) }
    #expect(slabs.byteCount == 4 << 20)
  }

  #if os(Linux)
    @Test func `slabs lie side by side, since a process may have 65,530 mappings`() throws {
      // What others map meanwhile may lie between.
      #expect(try mappings(ofSlabsOf: BlockSlabs()) <= 16)
    }

    @Test func `a gap that the system offers, and no slab fits into, does not spread them`() throws {
      let (size, mebibyte) = (64 << 20, 1 << 20)
      let pages = try #require(mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      try #require(pages != MAP_FAILED)
      let aligned = Int(bitPattern: pages + 8 * mebibyte - 1) & ~(8 * mebibyte - 1)
      let gap = try #require(UnsafeMutableRawPointer(bitPattern: aligned + 5 * mebibyte))
      // Large enough for a slab, but for one that is not aligned.
      try #require(munmap(gap, 10 * mebibyte) == 0)
      defer { munmap(pages, size) }
      #expect(try mappings(ofSlabsOf: BlockSlabs()) <= 16)
    }

    /// Takes 32 slabs.
    ///
    /// - Returns: how many of the process's mappings they lie in.
    private func mappings(ofSlabsOf slabs: BlockSlabs) throws -> Int {
      let blocks = (0..<4096).map { _ in UInt(bitPattern: slabs.take(64 << 10)) }
      #expect(slabs.byteCount >= 32 * 8 << 20)
      let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
      let mappings = maps.split(separator: "\n").compactMap { line -> Range<UInt>? in
        let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 ? ends[0]..<ends[1] : nil
      }
      let used = Set(blocks.compactMap { block in mappings.firstIndex { $0.contains(block) } })
      for block in blocks { slabs.giveBack(try #require(UnsafeMutableRawPointer(bitPattern: block)), 64 << 10) }
      return used.count
    }
  #endif

  @Test func `memory beside what is dropped stays, whatever the size of a page`() throws {
    let page = Int(getpagesize())
    let pages = try #require(rio_map_pages(4 * page))
    defer { rio_unmap_pages(pages, 4 * page) }
    let memory = UnsafeMutableRawBufferPointer(start: pages, count: 4 * page)
    for index in memory.indices { memory[index] = 1 }
    // The system would round each of these up to whole pages.
    rio_drop_pages(pages, page + 1)
    rio_drop_pages(pages + 3 * page, 1)
    rio_drop_pages(pages + 3 * page + 1, page - 1)
    #expect(memory[page...].allSatisfy { $0 == 1 })
    rio_drop_pages(pages + 1, 3 * page - 1)
    #expect(memory[(3 * page)...].allSatisfy { $0 == 1 })
  }

  @Test func `free blocks that share a page with others keep it, and count as idle`() throws {
    // Four blocks share a page. The first one of the slab is its own.
    let slabs = BlockSlabs(keeping: .bytes(0), pageByteCount: 16_384)
    let blocks = try (1...16).map { _ in try #require(slabs.take(4096)) }
    func giveBack(_ number: Int) -> Int {
      slabs.giveBack(blocks[number - 1], 4096)
      return slabs.idleByteCount
    }
    #expect([5, 4, 7].map(giveBack) == [4096, 8192, 12_288])
    #expect(giveBack(6) == 0, "a whole page is returned")
    #expect([1, 2, 3].map(giveBack) == [4096, 8192, 12_288])
    let again = try (1...3).map { _ in try #require(slabs.take(4096)) }
    #expect(Set(again) == Set(blocks[..<3]) && slabs.idleByteCount == 0)
    // A full slab has taken those back whose page was returned.
    let others = try (1...1023 - 12).map { _ in try #require(slabs.take(4096)) }
    #expect(Set(others).isSuperset(of: blocks[3..<7]))
    for block in again + others + blocks[7...] {
      block.storeBytes(of: 7, as: Int.self)
      slabs.giveBack(block, 4096)
    }
    #expect(slabs.byteCount == 4 << 20)
  }

  @Test func `what is kept at hand comes back first, two blocks of each size, and goes with its owner`() throws {
    let slabs = BlockSlabs(keeping: .bytes(0))
    do {
      let atHand = AtHand(slabs)
      for shift in 12...16 {
        let blocks = try (0..<3).map { _ in try #require(atHand.take(1 << shift)) }
        for block in blocks { atHand.giveBack(block, 1 << shift) }
        // This thread took none in between, so the third one went to the slabs, whose pages it shares with none in use.
        let again = try (0..<2).map { _ in try #require(atHand.take(1 << shift)) }
        #expect(Set(again) == Set(blocks[..<2]), "blocks of \(1 << shift)")
        for block in again { atHand.giveBack(block, 1 << shift) }
      }
    }
    // With all given back, an empty slab of each size is left.
    #expect(slabs.byteCount == 4 * 4 << 20 + 8 << 20)
    let all = try (1...1023).map { _ in try #require(slabs.take(4096)) }
    #expect(slabs.byteCount == 4 * 4 << 20 + 8 << 20, "none is missing")
    for block in all { slabs.giveBack(block, 4096) }
  }

  @Test func `many threads take and give back`() async {
    let slabs = BlockSlabs(keeping: .kibibytes(64))
    let failures = Noted<Int>()
    for isAtHand in [false, true] {
      let atHand = isAtHand ? AtHand(slabs) : nil
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
          group.addTask {
            if let atHand {
              Self.takeAndGiveBack(thread, failures, atHand.take, atHand.giveBack)
            } else {
              Self.takeAndGiveBack(thread, failures, slabs.take, slabs.giveBack)
            }
          }
        }
      }
    }
    #expect(failures.all.isEmpty)
    #expect(slabs.byteCount <= 4 * 4 << 20 + 8 << 20)
  }

  /// To be shared by threads, and called in expectations.
  private final class AtHand: Sendable {
    private let blocks: BlocksAtHand

    init(_ slabs: BlockSlabs) { blocks = BlocksAtHand(slabs) }

    func take(_ count: Int) -> UnsafeMutableRawPointer? { blocks.take(count) }
    func giveBack(_ block: UnsafeMutableRawPointer, _ count: Int) { blocks.giveBack(block, count) }
  }

  private static func takeAndGiveBack(
    _ thread: Int, _ failures: Noted<Int>, _ take: (Int) -> UnsafeMutableRawPointer?,
    _ giveBack: (UnsafeMutableRawPointer, Int) -> Void
  ) {
    var random = SeededGenerator(seed: UInt64(thread))
    var taken: [(UnsafeMutableRawPointer, Int, UInt64)] = []
    for _ in 0..<20_000 {
      let count = 4096 << Int.random(in: 0...4, using: &random)
      if taken.count < 40, Bool.random(using: &random) || taken.isEmpty, let memory = take(count) {
        let word = random.next()
        memory.storeBytes(of: word, as: UInt64.self)
        taken.append((memory, count, word))
      } else if let (memory, count, word) = taken.popLast() {
        if memory.load(as: UInt64.self) != word { failures.add(thread) }
        giveBack(memory, count)
      }
    }
    for (memory, count, _) in taken { giveBack(memory, count) }
  }
}
