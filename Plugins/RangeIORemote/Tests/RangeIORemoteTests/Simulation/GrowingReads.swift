import RangeIO

@testable import RangeIORemote

/// Follows the object of a ``GrowingServer``, as the edge would: looks at it, reads what was found, and compares all bytes with
/// those of the recording.
struct GrowingReads {
  enum Outcome: Hashable {
    case read, grew, restedAlike
    /// It was told as a change.
    case ended
    case failed(Failure.Reason)
  }

  private(set) var server: GrowingServer
  private let rules: TransferRules
  private var habits = Habits()
  private let origin: ObjectURL
  private var route: Route
  private let span: Int
  private var mark: GrowthMark?
  /// The bytes before the mark.
  private var recorded: [UInt8] = []
  private(set) var outcomes: [Outcome: Int] = [:]
  private(set) var bytesCompared = 0

  init(seed: UInt64) throws {
    var server = GrowingServer(seed: seed)
    var rules = TransferRules()
    rules.isAppendOnly = true
    rules.versionField = server.random.happens(500) ? "x-amz-version-id" : nil
    rules.prefixLimit = server.random.one(of: [1 << 20, 1500])
    span = server.random.one(of: [1, 8, 64])
    self.rules = rules
    self.server = server
    origin = try ObjectURL("https://origin.test/object")
    route = Route(origin: origin)
  }

  /// A session: looks and reads in turn.
  mutating func run() throws {
    for _ in 0..<6 + server.random.below(12) {
      let isLook = mark == nil || server.random.happens(400)
      let outcome = try isLook ? look() : read()
      outcomes[outcome, default: 0] += 1
      if case .failed(let reason) = outcome {
        guard !server.isHonest else { throw SimulatedReads.Wrong("an honest server failed: \(reason)") }
      }
      guard outcome == .ended else { continue }
      guard !server.onlyGrows else { throw SimulatedReads.Wrong("growth was told as a change") }
      (mark, recorded) = (nil, [])
    }
  }

  private mutating func look() throws -> Outcome {
    let known = mark
    let start = server.random.below(100)
    let opening = server.random.one(
      of: [.head, .suffix(1 + start), .range(start..<start + 300), .range(0..<300)] as [Opening])
    var look = GrowthLook(after: known, opening: opening, comparing: span, most: 120 + server.random.below(600))
    server.shown = []
    var step = look.first
    for _ in 0..<GrowthLook.maxRequests + 2 {
      switch step {
      case .ask(let opening):
        switch try describe(opening) {
        case .success(let (object, bytes)): step = look.answered(object, bytes)
        case .failure(let failure): return .failed(failure.reason)
        }
      case .found(let found):
        try adopt(found, look)
        return found.end > known?.end ?? -1 ? .grew : .restedAlike
      case .ended: return .ended
      case .fail(let failure): return .failed(failure.reason)
      }
    }
    throw SimulatedReads.Wrong("a look does not end")
  }

  /// The end that was found must be one of what was recorded.
  private mutating func adopt(_ found: GrowthMark, _ look: GrowthLook) throws {
    let state = server.shown.sorted().reversed().map { server.states[$0] }.first {
      $0.size >= max(found.end, recorded.count) && Array($0.bytes[..<recorded.count]) == recorded
        && Array($0.bytes[found.start..<found.end]) == found.tail
    }
    guard let state, found.end >= recorded.count else {
      throw SimulatedReads.Wrong("the end \(found.end) is of no version that goes on from \(recorded.count) bytes")
    }
    recorded = Array(state.bytes[..<found.end])
    let came = look.start..<look.start + look.bytes.count
    guard came.upperBound > found.end || Array(recorded[came]) == look.bytes else {
      throw SimulatedReads.Wrong("the bytes that came along are others")
    }
    mark = found
  }

  private mutating func read() throws -> Outcome {
    guard let mark, mark.end > 0 else { return .restedAlike }
    let start = server.random.below(mark.end)
    let range = start..<start + 1 + server.random.below(mark.end - start)
    var machine = ReadMachine(range, of: mark.version, route: route, rules: rules, habits: habits)
    var bytes: [UInt8] = []
    var answer = ModelAnswer(fault: .reset)
    var step = machine.start(at: testNow)
    for _ in 0..<1500 {
      switch step {
      case .send(let plan):
        guard plan.ifMatch == nil, plan.versionID == nil, plan.passesCaches else {
          throw SimulatedReads.Wrong("one version was asked for")
        }
        answer = server.answer(plan)
        step = answer.head.map { machine.received($0, at: testNow) } ?? machine.failed(.reset, at: testNow)
      case .receive(let plan):
        let (end, taken) = received(plan, answer)
        bytes += taken
        step = machine.bodyEnded(end, taken: taken.count, at: testNow)
      case .describe:
        step = machine.described(try describe(.probe).map(\.0), at: testNow)
      case .finish:
        machine.lessons.forEach { habits.learn($0) }
        if !mark.vouches(for: machine.moved) {
          let outcome = try look()
          guard outcome == .grew || outcome == .restedAlike else { return outcome }
          // All answers are of one server, which is never behind.
          guard self.mark?.covers(machine.moved, since: mark.version) == true || !server.isHonest else {
            throw SimulatedReads.Wrong("a look that does not tell of what was read")
          }
        }
        bytesCompared += bytes.count
        guard bytes == Array(recorded[range]) else { throw SimulatedReads.Wrong("wrong bytes of \(range)") }
        return .read
      case .fail(let failure) where failure.reason == .changed: return .ended
      case .fail(let failure): return .failed(failure.reason)
      case .judge, .mend, .described, .open: throw SimulatedReads.Wrong("no such step of a read: \(step)")
      }
    }
    throw SimulatedReads.Wrong("a read does not end")
  }

  private mutating func describe(_ opening: Opening) throws -> Result<(ObjectDescription, [UInt8]), Failure> {
    var machine = DescriptionMachine(origin, rules: rules, habits: habits, opening: opening)
    defer { machine.lessons.forEach { habits.learn($0) } }
    var bytes: [UInt8] = []
    var answer = ModelAnswer(fault: .reset)
    var step = machine.start(at: testNow)
    for _ in 0..<100 {
      switch step {
      case .send(let plan):
        answer = server.answer(plan)
        step = answer.head.map { machine.received($0, at: testNow) } ?? machine.failed(.reset, at: testNow)
      case .receive(let plan):
        let (end, taken) = received(plan, answer)
        bytes = Array(taken)
        step = machine.bodyEnded(end, taken: taken.count, at: testNow)
      case .described(let object): return .success((object, Array(bytes.suffix(object.bytes.count))))
      case .fail(let failure): return .failure(failure)
      default: throw SimulatedReads.Wrong("no such step of a description: \(step)")
      }
    }
    throw SimulatedReads.Wrong("a description does not end")
  }

  private func received(_ plan: BodyPlan, _ answer: ModelAnswer) -> (BodyEnd, ArraySlice<UInt8>) {
    let taken = answer.body.dropFirst(plan.skip).prefix(plan.take)
    return (answer.fault.map { .fault($0) } ?? .complete, taken)
  }
}
