import RangeIO

@testable import RangeIORemote

/// Describes the object of a ``ModelServer`` and reads ranges of it, as the edge would: what the machines want is done,
/// and the bytes are put together by their counts alone.
struct SimulatedReads {
  /// A fault of the library, not of the server.
  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  enum Outcome: Hashable {
    case read
    case failed(Failure.Reason)
  }

  /// No run of one machine is longer.
  private static let maxSteps = 1500

  private(set) var server: ModelServer
  let rules: TransferRules
  private var habits = Habits()
  private let origin: ObjectURL
  /// The bytes that came with the last description.
  private var opened: [UInt8] = []

  init(seed: UInt64) throws {
    var server = ModelServer(seed: seed)
    var rules = TransferRules()
    rules.versionField = server.marking == .versionID ? "x-amz-version-id" : nil
    rules.judgesByTime = server.random.happens(500) && server.marking == .date
    rules.hasCredentials = server.random.happens(500)
    rules.hasAuthority = server.random.happens(200)
    rules.prefixLimit = server.random.one(of: [1 << 20, 10_000])
    self.rules = rules
    self.server = server
    origin = try ObjectURL("https://origin.test/object")
  }

  /// One description and up to three reads.
  mutating func run() throws -> [Outcome] {
    let description: ObjectDescription
    switch try describe(opening(), passesCaches: false) {
    case .failure(let failure): return [.failed(try checked(failure).reason)]
    case .success(let found): description = found
    }
    guard description.size > 0 else { return [] }
    var route = description.route
    var outcomes: [Outcome] = []
    for _ in 0..<1 + server.random.below(3) {
      let start = server.random.happens(300) ? 0 : server.random.below(description.size)
      let count = 1 + server.random.below(description.size - start)
      outcomes.append(try read(start..<start + count, of: description, &route))
    }
    return outcomes
  }

  private mutating func opening() -> Opening {
    switch server.random.below(5) {
    case 0: .head
    case 1: .probe
    case 2: .suffix(1 + server.random.below(10_000))
    case 3:
      Opening(.range(server.random.below(6000)..<6000 + server.random.below(10_000)))
    default: Opening(.beginning)
    }
  }

  private func checked(_ failure: Failure) throws -> Failure {
    let parties = ["server", "object", "answered", "connection", "origin.test"]
    guard parties.contains(where: { failure.text.contains($0) }) else {
      throw Wrong("a failure does not say what the server did: \(failure)")
    }
    guard !server.isHonest || rules.hasAuthority else { throw Wrong("an honest server failed: \(failure)") }
    return failure
  }

  private func sent(_ plan: RequestPlan) throws {
    guard plan.url.scheme == .https else { throw Wrong("a request went to http") }
    guard !plan.mayCarryCredentials || plan.url.origin == origin.origin else {
      throw Wrong("credentials may go to \(plan.url)")
    }
    guard plan.fields["Accept-Encoding"] == "identity" else { throw Wrong("an encoded body was asked for") }
  }

  private mutating func describe(
    _ opening: Opening, passesCaches: Bool
  ) throws -> Result<ObjectDescription, Failure> {
    var machine = DescriptionMachine(
      origin, rules: rules, habits: habits, opening: opening, passesCaches: passesCaches)
    server.isDescribing = true
    defer {
      machine.lessons.forEach { habits.learn($0) }
      server.isDescribing = false
    }
    var bytes: [UInt8] = []
    var answer = ModelAnswer(fault: .reset)
    var action = machine.start(at: server.clock)
    for _ in 0..<Self.maxSteps {
      switch action {
      case .send(let plan):
        try sent(plan)
        answer = server.answer(plan)
        if let head = answer.head {
          action = machine.received(head, at: server.clock)
        } else {
          action = machine.failed(answer.fault ?? .reset, at: server.clock)
        }
      case .receive(let plan):
        let (end, taken) = receive(plan, answer)
        bytes += taken
        action = machine.bodyEnded(end, taken: taken.count, at: server.clock)
      case .judge: action = machine.judged(verdict(), at: server.clock)
      case .mend:
        action =
          server.random.happens(800)
          ? machine.mended(at: server.clock) : machine.mendFailed(at: server.clock)
      case .described(let description):
        opened = Array(bytes.suffix(description.bytes.count))
        return .success(description)
      case .open(let description, let plan):
        // What comes after it and cannot be believed is dropped.
        let (end, taken) = receive(plan, answer)
        opened = end == .overran ? [] : Array(taken)
        return .success(description.with(taken: opened.count))
      case .describe, .finish: throw Wrong("a description ends as a read does")
      case .fail(let failure): return .failure(failure)
      }
    }
    throw Wrong("a description does not end")
  }

  private mutating func verdict() -> RefusalVerdict {
    switch server.random.below(6) {
    case 0: .fail(ReadError(.permissionDenied, "the server answered Denied"))
    case 1: .mend(.region("r"))
    case 2: .mend(.clock(offset: 100))
    case 3: .mend(.credentials)
    default: .none
    }
  }

  private mutating func read(
    _ range: Range<Int>, of description: ObjectDescription, _ route: inout Route
  ) throws -> Outcome {
    let version = description.version
    // What came with the description begins the read.
    let begun = range.clamped(to: description.bytes)
    var bytes: [UInt8] = []
    if begun.lowerBound == range.lowerBound {
      bytes = Array(opened.dropFirst(begun.lowerBound - description.bytes.lowerBound).prefix(begun.count))
    }
    guard bytes.count < range.count else {
      try compare(bytes, range, version)
      return .read
    }
    var machine = ReadMachine(
      range, of: version, taken: bytes.count, route: route, rules: rules, habits: habits)
    defer {
      machine.lessons.forEach { habits.learn($0) }
      route = machine.route
    }
    var answer = ModelAnswer(fault: .reset)
    var action = machine.start(at: server.clock)
    for _ in 0..<Self.maxSteps {
      switch action {
      case .send(let plan):
        try sent(plan)
        guard machine.asksForWhole ? plan.range == nil : plan.range == range.lowerBound + bytes.count..<range.upperBound
        else {
          throw Wrong(
            "\(bytes.count) bytes of \(range) are there, and what is asked for is \(String(describing: plan.range))")
        }
        answer = server.answer(plan)
        if let head = answer.head {
          action = machine.received(head, at: server.clock)
        } else {
          action = machine.failed(answer.fault ?? .reset, at: server.clock)
        }
      case .receive(let plan):
        let (end, taken) = receive(plan, answer)
        bytes += taken
        action = machine.bodyEnded(end, taken: taken.count, at: server.clock)
      case .judge: action = machine.judged(verdict(), at: server.clock)
      case .mend:
        action =
          server.random.happens(800)
          ? machine.mended(at: server.clock) : machine.mendFailed(at: server.clock)
      case .describe:
        action = machine.described(try describeAgain(), at: server.clock)
      case .finish:
        try compare(bytes, range, version)
        return .read
      case .described, .open: throw Wrong("a read ends as a description does")
      case .fail(let failure): return .failed(try checked(failure).reason)
      }
    }
    throw Wrong("a read does not end")
  }

  private mutating func receive(_ plan: BodyPlan, _ answer: ModelAnswer) -> (BodyEnd, ArraySlice<UInt8>) {
    let taken = answer.body.dropFirst(plan.skip).prefix(plan.take)
    // The edge may leave the rest, if it knows of any.
    if taken.count == plan.take, plan.rest != 0, server.random.happens(500) { return (.stopped, taken) }
    if let rest = plan.rest, answer.body.count > plan.skip + plan.take + rest { return (.overran, taken) }
    return (answer.fault.map { .fault($0) } ?? .complete, taken)
  }

  /// Describes the object again. The bytes that came with the first description stay.
  private mutating func describeAgain() throws -> Result<ObjectDescription, Failure> {
    let first = opened
    defer { opened = first }
    return try describe(.probe, passesCaches: true)
  }

  private func compare(_ bytes: [UInt8], _ range: Range<Int>, _ version: ObjectVersion) throws {
    guard let object = server.versions.first(where: { $0.isMeant(by: version, rules) }) else {
      // Of what has only a size, that may be wrong too, in all answers alike.
      let isOfOne = server.versions.contains {
        $0.bytes.indices.contains(range.upperBound - 1) && bytes == Array($0.bytes[range])
      }
      guard version.identifier == .unknown, isOfOne else {
        throw Wrong("bytes of a version that never was: \(version)")
      }
      return
    }
    guard range.upperBound <= object.size, bytes == Array(object.bytes[range]) else {
      throw Wrong("wrong bytes of \(range) of version \(object.number)")
    }
  }
}
