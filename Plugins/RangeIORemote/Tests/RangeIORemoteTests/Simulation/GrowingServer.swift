@testable import RangeIORemote

/// A server with one object that is added to, and sometimes cut or replaced, at any request.
struct GrowingServer {
  /// What the object is at one time.
  struct State {
    let number: Int
    let bytes: [UInt8]
    var size: Int { bytes.count }

    /// The first `count` bytes of this state, and `added` of a kind: no two kinds have an equal byte at one place.
    func next(_ count: Int, adding added: Int, _ kind: Int) -> State {
      let new = (count..<count + added).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) &* 7 &+ kind) }
      return State(number: number + 1, bytes: Array(bytes[..<count]) + new)
    }
  }

  enum Event: CaseIterable { case append, cut, cutAndAppend, replaceAlike, replaceLonger }

  var random: SeededNumbers
  private let marking: ModelObject.Marking
  private let tellsSize: Bool
  private let ignoresRanges: Bool
  private let saysSizeWithRefusal: Bool
  /// The most bytes of a 206.
  private let cap: Int
  /// Of a thousand requests: appends, other changes, broken answers.
  private let appends: Int
  private let changes: Int
  private let breaks: Int
  private(set) var states: [State]
  private(set) var counts: [Event: Int] = [:]
  private(set) var requests = 0
  private(set) var hasBroken = false
  /// The states of which answers have shown something.
  var shown: Set<Int> = []
  private var kind = 0

  init(seed: UInt64) {
    random = SeededNumbers(seed)
    marking = random.one(of: ModelObject.Marking.allCases)
    tellsSize = !random.happens(200)
    ignoresRanges = random.happens(60)
    saysSizeWithRefusal = !random.happens(300)
    cap = random.happens(150) ? 40 + random.below(300) : .max
    appends = random.one(of: [0, 100, 400, 900])
    changes = random.one(of: [0, 0, 20, 100])
    breaks = random.one(of: [0, 0, 50, 200])
    let size = random.one(of: [0, 10, 200, 900]) + random.below(60)
    states = [State(number: -1, bytes: []).next(0, adding: size, kind)]
  }

  /// Only bytes are added, and all answers are whole.
  var isHonest: Bool { breaks == 0 && onlyGrows && !ignoresRanges && cap == .max }
  var onlyGrows: Bool { Event.allCases.allSatisfy { $0 == .append || counts[$0] == nil } }

  private mutating func change(_ event: Event) {
    let last = states[states.count - 1]
    let added = random.one(of: [1, 30, 300, 1500]) + random.below(50)
    if event != .append { kind += 1 }
    switch event {
    case .append: states.append(last.next(last.size, adding: added, kind))
    case .cut: states.append(last.next(last.size == 0 ? 0 : random.below(last.size), adding: 0, kind))
    case .cutAndAppend:
      let cut = last.size == 0 ? 0 : random.below(last.size)
      states.append(last.next(cut, adding: last.size - cut + added, kind))
    case .replaceAlike: states.append(last.next(0, adding: last.size, kind))
    case .replaceLonger: states.append(last.next(0, adding: last.size + added, kind))
    }
    // An object without bytes has none that could be others.
    if last.size > 0 || event == .append { counts[event, default: 0] += 1 }
  }

  mutating func answer(_ plan: RequestPlan) -> ModelAnswer {
    requests += 1
    if random.happens(appends), states[states.count - 1].size < 6000 { change(.append) }
    if random.happens(changes) { change(random.one(of: [.cut, .cutAndAppend, .replaceAlike, .replaceLonger])) }
    let answer = right(plan)
    guard random.happens(breaks) else { return answer }
    hasBroken = true
    if random.happens(300) { return ModelAnswer(fault: .reset) }
    if random.happens(200) { return ModelAnswer(503) }
    return answer.cut(after: random.below(answer.body.count + 1), .reset)
  }

  private mutating func right(_ plan: RequestPlan) -> ModelAnswer {
    let state = states[states.count - 1]
    shown.insert(state.number)
    var fields = self.fields(state)
    if plan.method == .head {
      fields.set("Content-Length", "\(state.size)")
      return ModelAnswer(200, fields)
    }
    let suffix = plan.suffix.map { max(0, state.size - $0)..<state.size }
    guard let range = plan.range ?? suffix, !ignoresRanges else {
      fields.set("Content-Length", "\(state.size)")
      return ModelAnswer(200, fields, body: state.bytes)
    }
    guard range.lowerBound < state.size else {
      if saysSizeWithRefusal || state.size == 0 { fields.set("Content-Range", "bytes */\(state.size)") }
      return ModelAnswer(416, fields)
    }
    let end = min(range.upperBound, state.size, range.lowerBound + min(cap, 1 << 40))
    fields.set("Content-Range", "bytes \(range.lowerBound)-\(end - 1)/\(tellsSize ? "\(state.size)" : "*")")
    fields.set("Content-Length", "\(end - range.lowerBound)")
    return ModelAnswer(206, fields, body: Array(state.bytes[range.lowerBound..<end]))
  }

  /// The marks of a version: each change makes others, as at an append blob.
  private func fields(_ state: State) -> HeaderFields {
    let date = HTTPDate(secondsSince1970: testNow - 100_000 + 10 * state.number).text
    return switch marking {
    case .strongTag: HeaderFields(["ETag": "\"v\(state.number)\"", "x-ms-blob-committed-block-count": "1"])
    case .unquotedTag: HeaderFields(["ETag": "v\(state.number)"])
    case .weakTag: HeaderFields(["ETag": "W/\"v\(state.number)\""])
    case .weakTagAndDate: HeaderFields(["ETag": "W/\"v\"", "Last-Modified": date])
    case .date: HeaderFields(["Last-Modified": date])
    case .versionID: HeaderFields(["x-amz-version-id": "v\(state.number)", "ETag": "\"e\(state.number)\""])
    case .nothing: HeaderFields()
    }
  }
}
