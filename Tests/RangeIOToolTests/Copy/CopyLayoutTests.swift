#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct CopyLayoutTests {
  @Test func `pieces cover all bytes, whatever the size`() {
    let sizes = [0, 1, 65_535, 65_536, 65_537, 1 << 30, 1 << 40 + 1, Int.max - 1, Int.max]
    for byteCount in sizes {
      let layout = CopyLayout(byteCount: byteCount)
      let count = layout.pieceCount
      #expect(layout.range(of: 0..<count) == 0..<byteCount)
      #expect((CopyLayout.minPieceSize...CopyLayout.maxPieceSize).contains(layout.pieceSize))
      guard count > 0 else { continue }
      let last = layout.range(of: count - 1..<count)
      #expect(last.upperBound == byteCount && !last.isEmpty && last.count <= layout.pieceSize)
    }
  }

  @Test func `ten kills of a gibibyte cost at most a fiftieth of its bytes`() {
    let layout = CopyLayout(byteCount: 1 << 30)
    for (requests, inFlight) in [
      (CopyRequests.arriving(8), layout.pieceSize),
      (CopyRequests.whole(8, of: layout, isFar: false), CopyRequests.whole(8, of: layout, isFar: false).most),
    ] {
      let plan = CopyPlan(layout, requests, finished: RangeSet(), journal: nil)
      #expect(10 * (8 * inFlight + plan.maxUnnoted + layout.pieceSize) <= layout.byteCount / 50)
    }
  }

  @Test func `what is under way fits into the memory that is promised`() {
    for parallel in [1, 3, 8, CopyRequests.maxParallel] {
      for byteCount in [0, 1 << 20, 1 << 30, 1 << 40, Int.max] {
        let layout = CopyLayout(byteCount: byteCount)
        for isFar in [false, true] {
          let requests = CopyRequests.whole(parallel, of: layout, isFar: isFar)
          #expect(requests.least <= requests.most)
          #expect(parallel * max(requests.most, layout.pieceSize) <= CopyRequests.memory)
        }
      }
    }
  }

  @Test func `requests get shorter towards the end, and never less than one piece`() {
    let requests = CopyRequests.arriving(8)
    #expect(requests.pieces(missing: 1 << 30, pieceSize: 1 << 16) == 1536)
    #expect(requests.pieces(missing: 64 << 20, pieceSize: 1 << 16) == 96)
    #expect(requests.pieces(missing: 100, pieceSize: 1 << 16) == 4)
    #expect(requests.limited(to: 1000).pieces(missing: 1 << 30, pieceSize: 1 << 16) == 1)
  }
}
#endif
