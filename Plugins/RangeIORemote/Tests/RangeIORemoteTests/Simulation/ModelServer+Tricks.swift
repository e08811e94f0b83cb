@testable import RangeIORemote

extension ModelServer {
  /// A wrong answer. Where a trick does not fit the request it is another.
  mutating func play(_ trick: Trick, _ plan: RequestPlan) -> ModelAnswer {
    let object = versions[versions.count - 1]
    switch trick {
    case .cut, .cutEarly, .stalls, .drips, .endsWithoutNotify, .endsEarly, .overruns:
      return broken(trick, right(plan))
    case .resetBeforeHead: return ModelAnswer(fault: .reset)
    case .leftOver: return ModelAnswer(fault: .malformed("bytes in place of a head"))
    case .goAway: return ModelAnswer(fault: .goAway)
    case .noHead: return ModelAnswer(fault: .headTimeout)
    case .refused: return ModelAnswer(fault: .refused)
    case .giantHeaders: return ModelAnswer(fault: .giantHeaders)
    case .redirectLoop: return ModelAnswer(302, HeaderFields(["Location": plan.url.text]))
    case .redirectDown: return ModelAnswer(301, HeaderFields(["Location": "http://origin.test/object"]))
    case .redirectNowhere: return ModelAnswer(302)
    case .redirectElsewhere: return ModelAnswer(302, HeaderFields(["Location": "https://\(random.below(5)).test/x"]))
    case .stale: return plan.range.map { stale($0) } ?? right(plan)
    case .shorter, .longer, .otherStart, .earlierStart, .wholeWithRange:
      return moved(trick, plan, object) ?? whole(object)
    default: return byStatus(trick) ?? byFields(trick, plan, object)
    }
  }

  private mutating func byStatus(_ trick: Trick) -> ModelAnswer? {
    let size = versions[versions.count - 1].size
    switch trick {
    case .unasked: return ModelAnswer(random.one(of: [204, 202, 304, 203, 300, 400, 501]))
    case .bareRefusal: return ModelAnswer(416)
    case .refusal: return ModelAnswer(416, HeaderFields(["Content-Range": "bytes */\(size + random.below(2))"]))
    case .emptyRefusal: return ModelAnswer(416, HeaderFields(["Content-Range": "bytes */0"]))
    case .precondition: return ModelAnswer(412)
    case .unauthorized: return ModelAnswer(401)
    case .forbidden: return ModelAnswer(403)
    case .missing: return ModelAnswer(404)
    case .gone: return ModelAnswer(410)
    case .busy: return ModelAnswer(random.one(of: [429, 503]), HeaderFields(["Retry-After": "1"]))
    case .failing: return ModelAnswer(random.one(of: [408, 500, 502, 504]))
    case .html:
      return ModelAnswer(
        200, HeaderFields(["Content-Type": "text/html", "Content-Length": "5"]), body: Array("<html".utf8))
    default: return nil
    }
  }

  /// The right answer with one field that is wrong.
  private mutating func byFields(_ trick: Trick, _ plan: RequestPlan, _ object: ModelObject) -> ModelAnswer {
    if trick == .whole { return whole(object) }
    if trick == .wholeWithoutLength { return whole(object).with("Content-Length", nil) }
    let answer = right(plan)
    guard answer.head?.status == 206 else { return answer }
    let asked = plan.range ?? max(0, object.size - (plan.suffix ?? 1))..<object.size
    let range = "\(asked.lowerBound)-\(max(asked.lowerBound, min(asked.upperBound, object.size) - 1))"
    switch trick {
    case .noRange: return answer.with("Content-Range", nil)
    case .starRange: return answer.with("Content-Range", "bytes */*")
    case .starTotal: return answer.with("Content-Range", "bytes \(range)/*")
    case .otherTotal: return answer.with("Content-Range", "bytes \(range)/\(object.size + 1 + random.below(5))")
    case .nonsenseRange: return answer.with("Content-Range", "bytes 9-1/4")
    case .multipart: return answer.with("Content-Type", "multipart/byteranges; boundary=b")
    // A description without its tag would be one by size alone, and a replacement of the same size could not be seen.
    case .noMark where isDescribing: return answer
    case .noMark: return answer.with("ETag", nil).with("Last-Modified", nil).with("x-amz-version-id", nil)
    case .encoded: return answer.with("Content-Encoding", "gzip")
    case .lyingLength: return answer.with("Content-Length", "\(answer.body.count + 1)")
    case .doubleLength: return answer.with("Content-Length", "\(answer.body.count), 7")
    default: return answer
    }
  }

  /// An answer with another range than the one that was asked for, as its head says.
  private mutating func moved(_ trick: Trick, _ plan: RequestPlan, _ object: ModelObject) -> ModelAnswer? {
    guard let asked = plan.range, asked.lowerBound < object.size else { return nil }
    let end = min(asked.upperBound, object.size)
    switch trick {
    case .shorter: return part(object, asked.lowerBound..<asked.lowerBound + 1 + random.below(end - asked.lowerBound))
    case .longer: return part(object, asked.lowerBound..<min(object.size, end + 1 + random.below(50_000)))
    case .earlierStart: return part(object, max(0, asked.lowerBound - random.below(1000))..<end)
    case .otherStart:
      let start = random.below(object.size)
      return part(object, start..<start + 1 + random.below(object.size - start))
    default: return part(object, asked.lowerBound..<end).with(status: 200)
    }
  }

  /// An honest answer, of a version that is no longer there.
  private mutating func stale(_ range: Range<Int>) -> ModelAnswer {
    let object = random.one(of: versions)
    guard range.lowerBound < object.size else { return ModelAnswer(416) }
    return part(object, range.lowerBound..<min(range.upperBound, object.size))
  }

  private mutating func broken(_ trick: Trick, _ answer: ModelAnswer) -> ModelAnswer {
    guard !answer.body.isEmpty else { return ModelAnswer(fault: .reset) }
    let count = random.below(answer.body.count + 1)
    switch trick {
    case .cut: return answer.cut(after: count, random.one(of: [.reset, .goAway, .streamReset, .tls("record")]))
    case .cutEarly: return answer.cut(after: min(count, random.below(3)), .reset)
    case .stalls: return answer.cut(after: count, .stalled)
    case .drips: return answer.cut(after: count, .tooSlow)
    case .endsWithoutNotify:
      let unframed = random.happens(500) ? answer.with("Content-Length", nil) : answer
      return unframed.cut(after: count, .closedWithoutNotify)
    case .endsEarly:
      var short = answer.with("Content-Length", nil).with("Transfer-Encoding", "chunked")
      short.body = Array(short.body.prefix(count))
      return short
    default:
      // Where a body's end alone tells the size, nothing can see that it comes late.
      let isWhole = answer.head?.status == 200
      var long = isWhole ? answer : answer.with("Content-Length", nil).with("Transfer-Encoding", "chunked")
      long.body += [UInt8](repeating: 0xee, count: 1 + random.below(100))
      return long
    }
  }
}
