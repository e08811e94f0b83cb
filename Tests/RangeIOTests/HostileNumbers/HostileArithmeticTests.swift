import RangeIOTiers
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What is computed of numbers is an answer for all of them.
struct HostileArithmeticTests {
  @Test func `ranges`() {
    for a in Hostile.integers {
      for b in Hostile.integers {
        if let range = ByteRanges.range(offset: a, count: b) { #expect(range.lowerBound == a && range.count == b) }
      }
    }
    for a in Hostile.ranges {
      for b in Hostile.ranges {
        if let common = ByteRanges.intersection(a, b) { #expect(a.contains(common.lowerBound)) }
        if let both = ByteRanges.union(a, b) { #expect(both.lowerBound <= a.lowerBound || a.isEmpty) }
        #expect(ByteRanges.subtract(a, from: b).allSatisfy { !$0.isEmpty && !$0.overlaps(a) })
        #expect(ByteRanges.gaps(in: a, covered: [b]).allSatisfy { !$0.overlaps(b) })
      }
    }
    #expect(ByteRanges.normalize(Hostile.ranges) == [Int.min..<Int.max])
  }

  @Test func `blocks of a grid`() throws {
    for size in Hostile.integers + [2, 4096, 1 << 30] {
      guard let grid = BlockGrid(blockSize: size) else { continue }
      for range in Hostile.ranges {
        let blocks = grid.blocks(covering: range)
        #expect(blocks.isEmpty == range.isEmpty)
        for (block, part) in grid.pieces(of: range).prefix(3) {
          #expect(block >= blocks.lowerBound && range.contains(part.lowerBound) && part.upperBound <= range.upperBound)
        }
        for byteCount in Hostile.integers {
          let outward = grid.outward(range, in: byteCount)
          #expect(range.isEmpty || outward.lowerBound >= 0)
        }
      }
      for block in Hostile.integers {
        for byteCount in Hostile.integers {
          let range = grid.range(of: block, in: byteCount)
          #expect(range.lowerBound >= 0 && (range.isEmpty || block >= 0))
        }
        _ = grid.block(at: block)
      }
    }
  }

  @Test func `integers within bytes`() {
    let bytes: Bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    for offset in Hostile.integers {
      let fits = (0...1).contains(offset)
      #expect((bytes.integer(at: offset, as: UInt64.self, .littleEndian) != nil) == fits)
      #expect((bytes.integer(at: offset, as: UInt8.self, .bigEndian) != nil) == (0...8).contains(offset))
    }
  }

  @Test func `sizes as people write them`() {
    for number in ["0", "1", "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "-1", "nan"] {
      for part in ["", ".0", ".5", ".999999999999999", ".9999999999999999999999"] {
        for unit in ["", "B", "K", "KB", "TiB", "TB"] {
          if let count = ByteCount(number + part + unit) { #expect(count.bytes >= 0) }
        }
      }
    }
  }

  @Test func `instants and durations`() {
    let time = ReadClock.continuous
    for one in Hostile.durations {
      for other in Hostile.durations {
        let instant = time.now.advanced(by: one).advanced(by: other)
        let way = instant.duration(to: time.now.advanced(by: other))
        #expect(instant.advanced(by: way) >= instant || way < .zero)
      }
    }
  }

  @Test func `quantiles of any share`() async throws {
    let observing = Observing()
    let reader = try await RangeReader(HostileSource(), [.observing(observing)])
    for share in Hostile.doubles { #expect(observing.counted().latency.quantile(share) == .zero) }
    for _ in 0..<3 { _ = try await reader.read(0..<1) }
    let latency = observing.counted().latency
    for share in Hostile.doubles { #expect(latency.quantile(share) <= latency.quantile(1)) }
    #expect(latency.quantile(.nan) == latency.quantile(0))
    await reader.close()
  }

  @Test func `statistics of any numbers`() {
    for number in Hostile.integers {
      var reader = RangeReader.Statistics()
      reader.stages = (0..<3).map { _ in Counters("a", counts: [.init("b", number)], wastedBytes: number) }
      _ = reader.description
      var spill = DiskCounts()
      (spill.hits, spill.stagedHits, spill.fileBytes, spill.writtenBytes) = (number, number, number, number)
      (spill.blocks, spill.indexBytes) = (number, number)
      _ = ("\(spill.counters("disk"))", spill.writeAmplification)
      var compressed = CompressedCounts()
      (compressed.rawBytes, compressed.storedBytes) = (number, number)
      _ = ("\(compressed.counters("compressed"))", compressed.ratio)
    }
  }

  @Test func `explanations and requests of any ranges`() {
    let source = SourceDescription(id: "a", validator: nil, byteCount: 10)
    for range in Hostile.ranges {
      let explanation = ReadExplanation([.init(range, .source), .init(range, .memory)])
      #expect(explanation.byteCount(from: .source) >= 0)
      _ = explanation.description
      #expect(ReadRequest(range, moreRanges: Hostile.ranges, of: source).byteCount == .max)
      #expect(ReadRequest(range, of: source).byteCount >= 0)
    }
  }
}
