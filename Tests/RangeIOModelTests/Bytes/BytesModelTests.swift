import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Random chains of operations on bytes, with an array beside each that does the same the plain way.
@Suite struct BytesModelTests {
  private struct Pair {
    var bytes: Bytes
    var model: [UInt8]
  }

  @Test(arguments: testSeeds)
  func `random concatenations, slices and compactions agree with an array`(seed: UInt64) {
    var random = TestRandom(seed)
    var pool = (0..<6).map { _ in make(&random) }
    for step in 0..<300 {
      let pair = change(pool, &random)
      // Most are kept small, so that chains get deep rather than long.
      let kept =
        pair.model.count > 4000 ? Pair(bytes: pair.bytes.slice(0..<500), model: Array(pair.model[0..<500])) : pair
      check(kept, &random, "seed \(seed), step \(step)")
      pool[random.below(pool.count)] = kept
    }
    for pair in pool { #expect(Array(pair.bytes) == pair.model, "seed \(seed), at the end") }
  }

  private func make(_ random: inout TestRandom) -> Pair {
    let model = random.array(random.below(300))
    return Pair(bytes: Bytes(model), model: model)
  }

  private func change(_ pool: [Pair], _ random: inout TestRandom) -> Pair {
    let one = pool[random.below(pool.count)]
    switch random.below(8) {
    case 0:
      return make(&random)
    case 1, 2:
      let range = random.range(within: one.model.count)
      return Pair(bytes: one.bytes.slice(range), model: Array(one.model[range]))
    case 3, 4, 5:
      let several = (0..<random.below(5)).map { _ in pool[random.below(pool.count)] }
      return Pair(bytes: Bytes(concatenating: several.map(\.bytes)), model: several.flatMap(\.model))
    case 6:
      return Pair(bytes: one.bytes.compacted(), model: one.model)
    default:
      return Pair(bytes: one.bytes.contiguous(), model: one.model)
    }
  }

  private func check(_ pair: Pair, _ random: inout TestRandom, _ where: Comment) {
    let (bytes, model) = (pair.bytes, pair.model)
    #expect(bytes.count == model.count, `where`)
    #expect(bytes.elementsEqual(model), `where`)
    #expect(bytes == Bytes(model), `where`)
    #expect(bytes.hashValue == Bytes(model).hashValue, `where`)
    #expect(bytes.withUnsafeBytes { $0.elementsEqual(model) }, `where`)
    #expect(bytes.pieceCounts.reduce(0, +) == model.count, `where`)
    #expect(bytes.pieceCounts.allSatisfy { $0 > 0 }, `where`)
    #expect(bytes.isContiguous == (bytes.pieceCounts.count <= 1), `where`)
    #expect(bytes.contiguous().isContiguous, `where`)
    #expect(bytes.compacted().backingByteCount <= model.count * 5 / 4, `where`)
    if !model.isEmpty {
      let position = random.below(model.count)
      #expect(bytes[position] == model[position], `where`)
      let wanted =
        position + 4 <= model.count ? model[position..<position + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : nil
      #expect(bytes.integer(at: position, as: UInt32.self, .bigEndian) == wanted, `where`)
    }
  }
}
