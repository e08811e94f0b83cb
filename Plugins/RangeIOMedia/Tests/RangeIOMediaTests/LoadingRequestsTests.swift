import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMedia

/// Events one by one.
@Suite struct LoadingRequestsTests {
  private typealias Requests = LoadingRequests<Failure>
  private static let piece = 64 * 1024

  /// What a read of a range returns.
  private func bytes(_ range: Range<Int>) -> Bytes { SyntheticSource.bytes(range) }

  @Test func `the first question of a player is answered with the size, two bytes and the end`() {
    var requests = Requests(byteCount: 1000)
    let (id, effects) = requests.begin(.bytes(offset: 0, count: 2), asksForInformation: true)
    #expect(effects == [.inform(id, .init(byteCount: 1000, range: 0..<2)), .read(id, 0..<2)])
    #expect(requests.read(id, .success(bytes(0..<2))) == [.answer(id, bytes(0..<2)), .finish(id)])
    #expect(requests.openRequests.isEmpty)
  }

  @Test func `a question without bytes ends at once`() {
    var requests = Requests(byteCount: 1000)
    let (id, effects) = requests.begin(.nothing, asksForInformation: true)
    #expect(effects == [.inform(id, .init(byteCount: 1000, range: 0..<0)), .finish(id)])
  }

  @Test func `pieces double up to a mebibyte, and each is read when the one before is answered`() {
    var requests = Requests(byteCount: 3 << 20)
    var (id, effects) = requests.begin(.from(0), asksForInformation: false)
    var counts: [Int] = []
    var position = 0
    while case .read(id, let range) = effects.last {
      #expect(range.lowerBound == position)
      position = range.upperBound
      counts.append(range.count)
      effects = requests.read(id, .success(bytes(range)))
      #expect(effects.first == .answer(id, bytes(range)))
    }
    #expect(effects.last == .finish(id))
    #expect(counts.map { $0 / 1024 } == [64, 128, 256, 512, 1024, 1024, 64])
  }

  @Test func `requests take turns, four at a time`() {
    var requests = Requests(byteCount: 10 << 20)
    let all = (0..<6).map { requests.begin(.from($0 << 20), asksForInformation: false) }
    #expect(all.map { $0.effects.count } == [1, 1, 1, 1, 0, 0])
    let first = all[0].request
    // The first has had its piece. The fifth has its turn now.
    let effects = requests.read(first, .success(bytes(0..<Self.piece)))
    #expect(
      effects == [.answer(first, bytes(0..<Self.piece)), .read(all[4].request, 4 << 20..<(4 << 20) + Self.piece)])
    // A cancelled one makes room for the sixth, and only then the first goes on.
    #expect(
      requests.cancel(all[1].request)
        == [.stopReading(all[1].request), .read(all[5].request, 5 << 20..<(5 << 20) + Self.piece)])
    #expect(
      requests.cancel(all[2].request)
        == [.stopReading(all[2].request), .read(first, Self.piece..<3 * Self.piece)])
  }

  @Test func `a seek: the request that is cancelled in mid-answer gets nothing more, the new one begins where it asks`()
  {
    var requests = Requests(byteCount: 1 << 20)
    let (old, _) = requests.begin(.from(0), asksForInformation: false)
    _ = requests.read(old, .success(bytes(0..<Self.piece)))
    #expect(requests.cancel(old) == [.stopReading(old)])
    let (new, effects) = requests.begin(.from(900_000), asksForInformation: false)
    #expect(effects == [.read(new, 900_000..<900_000 + Self.piece)])
    #expect(requests.read(old, .success(bytes(Self.piece..<3 * Self.piece))).isEmpty)
    #expect(requests.openRequests == [new])
  }

  @Test func `requests that overlap get their own bytes each`() {
    var requests = Requests(byteCount: 1000)
    let (a, first) = requests.begin(.bytes(offset: 0, count: 600), asksForInformation: false)
    let (b, second) = requests.begin(.bytes(offset: 500, count: 500), asksForInformation: false)
    #expect(first == [.read(a, 0..<600)])
    #expect(second == [.read(b, 500..<1000)])
    #expect(requests.read(b, .success(bytes(500..<1000))) == [.answer(b, bytes(500..<1000)), .finish(b)])
    #expect(requests.read(a, .success(bytes(0..<600))) == [.answer(a, bytes(0..<600)), .finish(a)])
  }

  @Test func `what lies past the end is cut, and a start past it ends with nothing`() {
    var requests = Requests(byteCount: 1000)
    let (a, cut) = requests.begin(.bytes(offset: 990, count: 65_536), asksForInformation: true)
    #expect(cut == [.inform(a, .init(byteCount: 1000, range: 990..<1000)), .read(a, 990..<1000)])
    for span in [
      Requests.Span.bytes(offset: 1000, count: 1), .from(1000), .from(.max), .bytes(offset: .max, count: .max),
    ] {
      let (id, effects) = requests.begin(span, asksForInformation: true)
      guard case .inform(id, let information) = effects.first else { return #expect(Bool(false), "\(span)") }
      #expect(information.byteCount == 1000 && information.range.isEmpty, "\(span)")
      #expect(effects.last == .finish(id), "\(span)")
    }
  }

  @Test(arguments: [
    LoadingRequests<Failure>.Span.bytes(offset: -1, count: 5), .bytes(offset: .min, count: .max),
    .bytes(offset: 3, count: 0),
    .bytes(offset: 3, count: -7), .bytes(offset: .max, count: -1), .from(.max), .suffix(0), .suffix(-5), .suffix(.min),
  ])
  func `hostile numbers ask for nothing`(span: LoadingRequests<Failure>.Span) {
    var requests = LoadingRequests<Failure>(byteCount: 1000)
    let (id, effects) = requests.begin(span, asksForInformation: true)
    #expect(effects.count == 2 && effects.last == .finish(id), "\(effects)")
  }

  @Test func `a suffix is the end, or everything`() {
    var requests = Requests(byteCount: 1000)
    let (a, end) = requests.begin(.suffix(10), asksForInformation: true)
    #expect(end == [.inform(a, .init(byteCount: 1000, range: 990..<1000)), .read(a, 990..<1000)])
    let (b, all) = requests.begin(.suffix(.max), asksForInformation: false)
    #expect(all == [.read(b, 0..<1000)])
  }

  @Test func `an error in mid-answer ends this request and no other`() {
    var requests = Requests(byteCount: 1 << 20)
    let (a, _) = requests.begin(.from(0), asksForInformation: false)
    let (b, _) = requests.begin(.from(100), asksForInformation: false)
    _ = requests.read(a, .success(bytes(0..<Self.piece)))
    #expect(requests.read(a, .failure(Failure(1))) == [.fail(a, Failure(1))])
    #expect(requests.openRequests == [b])
    #expect(requests.read(a, .success(bytes(0..<1))).isEmpty)
  }

  @Test func `ended twice, cancelled after the end, unknown: nothing happens`() {
    var requests = Requests(byteCount: 10)
    let (id, _) = requests.begin(.from(0), asksForInformation: false)
    #expect(requests.read(id, .success(bytes(0..<10))) == [.answer(id, bytes(0..<10)), .finish(id)])
    #expect(requests.read(id, .success(bytes(0..<10))).isEmpty)
    #expect(requests.read(id, .failure(Failure(1))).isEmpty)
    #expect(requests.cancel(id).isEmpty)
    #expect(requests.cancel(99).isEmpty)
  }

  // MARK: growth

  @Test func `a download: the final size is told, and what is not there yet is waited for`() {
    var requests = Requests(byteCount: 100, growingTo: 300)
    let (id, effects) = requests.begin(.bytes(offset: 50, count: 200), asksForInformation: true)
    #expect(effects == [.inform(id, .init(byteCount: 300, range: 50..<250)), .read(id, 50..<100)])
    #expect(requests.read(id, .success(bytes(50..<100))) == [.answer(id, bytes(50..<100)), .watch(1, at: 100)])
    #expect(requests.grew(1, to: 200, isOver: false) == [.read(id, 100..<200)])
    // It has grown past the end of the request meanwhile; the next look would show it.
    #expect(requests.read(id, .success(bytes(100..<200))) == [.answer(id, bytes(100..<200)), .watch(2, at: 200)])
    #expect(requests.grew(2, to: 999, isOver: false) == [.read(id, 200..<250)])
    #expect(requests.byteCount == 300, "no more than was told")
    #expect(requests.read(id, .success(bytes(200..<250))) == [.answer(id, bytes(200..<250)), .finish(id)])
  }

  @Test func `a recording: everything to the end ends when it is over`() {
    var requests = Requests(byteCount: 100, growingTo: nil)
    let (id, effects) = requests.begin(.from(0), asksForInformation: true)
    #expect(effects == [.inform(id, .init(byteCount: 100, range: 0..<100)), .read(id, 0..<100)])
    #expect(requests.read(id, .success(bytes(0..<100))) == [.answer(id, bytes(0..<100)), .watch(1, at: 100)])
    #expect(requests.grew(1, to: 150, isOver: false) == [.read(id, 100..<150)])
    #expect(requests.read(id, .success(bytes(100..<150))) == [.answer(id, bytes(100..<150)), .watch(2, at: 150)])
    #expect(requests.grew(2, to: 150, isOver: true) == [.finish(id)])
    let (late, told) = requests.begin(.from(0), asksForInformation: true)
    #expect(told.first == .inform(late, .init(byteCount: 150, range: 0..<150)))
  }

  @Test func `requests share a watch, which ends with the last of them`() {
    var requests = Requests(byteCount: 100, growingTo: 300)
    let (a, first) = requests.begin(.from(100), asksForInformation: false)
    let (b, second) = requests.begin(.from(250), asksForInformation: false)
    #expect(first == [.watch(1, at: 100)] && second.isEmpty)
    #expect(requests.cancel(a).isEmpty)
    #expect(requests.cancel(b) == [.stopWatching])
    let (c, third) = requests.begin(.from(100), asksForInformation: false)
    #expect(third == [.watch(2, at: 100)])
    #expect(requests.grew(1, to: 200, isOver: false).isEmpty, "a watch that has been stopped")
    #expect(requests.grew(2, to: 200, isOver: false) == [.read(c, 100..<200)])
  }

  @Test func `a growth that does not reach a request is watched again`() {
    var requests = Requests(byteCount: 100, growingTo: 300)
    _ = requests.begin(.from(250), asksForInformation: false)
    #expect(requests.grew(1, to: 200, isOver: false) == [.watch(2, at: 200)])
  }

  @Test func `a watch that fails ends those who wait, and no one else`() {
    var requests = Requests(byteCount: 100, growingTo: 300)
    let (reading, _) = requests.begin(.from(0), asksForInformation: false)
    let (waiting, _) = requests.begin(.from(100), asksForInformation: false)
    #expect(requests.watchFailed(1, Failure(2)) == [.fail(waiting, Failure(2))])
    #expect(requests.openRequests == [reading])
    #expect(requests.watchFailed(1, Failure(2)).isEmpty)
    #expect(requests.read(reading, .success(bytes(0..<100))) == [.answer(reading, bytes(0..<100)), .watch(2, at: 100)])
  }

  @Test func `a source that is longer than was told is cut`() {
    var requests = Requests(byteCount: 500, growingTo: 300)
    let (id, effects) = requests.begin(.from(290), asksForInformation: true)
    #expect(effects == [.inform(id, .init(byteCount: 300, range: 290..<300)), .read(id, 290..<300)])
  }
}
