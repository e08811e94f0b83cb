import RangeIO
import RangeIOTesting

@testable import RangeIOMedia
@testable import RangeIOTestSupport

/// What may happen to a request, and what must.
extension SessionModel {
  /// A request, as its player sees it.
  struct Asked {
    let information: Requests.Information?
    var isInformed = false
    /// The next byte that it may get.
    var next: Int
    /// Where it ends, unless the source ends before.
    let end: Int
    var reading: Range<Int>?
    /// Who has begun to read since this one could.
    var overtakenBy: Set<Int> = []
  }

  mutating func apply(_ effects: [Requests.Effect]) throws {
    for effect in effects { try apply(effect) }
  }

  private mutating func apply(_ effect: Requests.Effect) throws {
    switch effect {
    case .inform(let id, let information):
      guard var asked = open[id], !asked.isInformed, asked.information == information else {
        throw fail("\(id) is told \(information), not \(String(describing: open[id]?.information))")
      }
      asked.isInformed = true
      open[id] = asked
    case .read(let id, let range): try read(id, range)
    case .answer(let id, let bytes):
      guard let asked = open[id] else { throw fail("an answer to \(id), which has ended") }
      guard asked.isInformed || asked.information == nil else {
        throw fail("an answer to \(id) before the information")
      }
      let range = asked.next..<asked.next + bytes.count
      guard bytes == SyntheticSource.bytes(range) else {
        throw fail("wrong bytes for \(id), which is at \(asked.next)")
      }
      open[id]?.next = range.upperBound
      tally.bytes += bytes.count
    case .finish(let id):
      guard let asked = open.removeValue(forKey: id) else { throw fail("\(id) ends twice") }
      guard asked.reading == nil, asked.next >= end(of: asked) else {
        throw fail("\(id) ends at \(asked.next), too early")
      }
      guard asked.isInformed || asked.information == nil else { throw fail("\(id) ends without information") }
      ended.insert(id)
      tally.finished += 1
    case .fail(let id, _):
      guard open.removeValue(forKey: id) != nil, mayFail.remove(id) != nil else {
        throw fail("\(id) fails for nothing")
      }
      ended.insert(id)
    case .stopReading(let id): throw fail("the read of \(id) is cancelled for nothing")
    case .watch(let number, let offset):
      guard watch == nil, !oldWatches.contains(number), offset == size else {
        throw fail("watch \(number) at \(offset), while there is \(String(describing: watch)), and \(size) bytes")
      }
      watch = number
    case .stopWatching:
      guard let watch else { throw fail("no watch to stop") }
      oldWatches.append(watch)
      self.watch = nil
    }
  }

  private mutating func read(_ id: Int, _ range: Range<Int>) throws {
    guard let asked = open[id], asked.reading == nil else {
      throw fail("a second read for \(id), or one after its end")
    }
    guard range.lowerBound == asked.next, !range.isEmpty, range.count <= limits.maxPieceBytes,
      range.upperBound <= min(size, end(of: asked))
    else { throw fail("\(id) is at \(asked.next) of \(end(of: asked)), there are \(size), and \(range) is read") }
    for other in open.keys where other != id && open[other]?.reading == nil {
      guard let waiting = open[other], waiting.next < min(size, end(of: waiting)) else { continue }
      guard open[other]?.overtakenBy.insert(id).inserted == true else { throw fail("\(id) overtakes \(other) twice") }
    }
    open[id]?.overtakenBy = []
    open[id]?.reading = range
    tally.pieces += 1
  }

  /// What holds between events.
  func checkAll() throws {
    guard requests.openRequests == open.keys.sorted() else {
      throw fail("open: \(requests.openRequests), not \(open.keys)")
    }
    let reading = open.values.count { $0.reading != nil }
    let couldRead = open.values.count { $0.reading == nil && $0.next < min(size, end(of: $0)) }
    guard reading <= limits.maxReads else { throw fail("\(reading) reads at once") }
    guard couldRead == 0 || reading == limits.maxReads else { throw fail("\(couldRead) requests are forgotten") }
    let waits = open.values.contains { $0.reading == nil && $0.next >= size && $0.next < end(of: $0) }
    guard waits == (watch != nil) else {
      throw fail(waits ? "nobody watches for those who wait" : "a watch for nobody")
    }
    if let idle = open.first(where: { $0.value.reading == nil && $0.value.next >= end(of: $0.value) }) {
      throw fail("\(idle.key) has got everything and has not ended")
    }
  }
}

/// What reads and watches of tests fail with.
struct Failure: Error, Equatable {
  let number: Int
  init(_ number: Int) { self.number = number }
}
