import Testing

@testable import RangeIORemote

/// A read in a test: the machine, and what it wants next. By default of an object of 10,000 bytes with the tag `"a"`.
struct ReadRun {
  var machine: ReadMachine
  private(set) var action: TransferStep
  /// The requests so far.
  private(set) var requests: [RequestPlan] = []

  init(
    _ range: Range<Int> = 0..<1000, of version: ObjectVersion = .tagged("\"a\"", size: 10_000),
    url: String = "https://example.org/data.bin", route: Route? = nil, rules: TransferRules = TransferRules(),
    habits: Habits = Habits(), at now: Int = testNow
  ) throws {
    let route = try route ?? Route(origin: ObjectURL(url))
    machine = ReadMachine(range, of: version, route: route, rules: rules, habits: habits)
    action = machine.start(at: now)
    note()
  }

  private mutating func note() {
    if case .send(let plan) = action { requests.append(plan) }
  }

  mutating func answer(_ head: ResponseHead, at now: Int = testNow) {
    action = machine.received(head, at: now)
    note()
  }

  mutating func answer(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], at now: Int = testNow) {
    answer(ResponseHead(status, fields), at: now)
  }

  /// A right answer with `range`, and its whole body.
  mutating func deliver(_ range: Range<Int>, tag: String? = "\"a\"") {
    answer(.part(range, of: machine.version.size, tag: tag))
    ended(.complete, range.count)
  }

  /// Events that do not fit the last action would be a mistake of the test: they are reported and left out.
  private func fits(_ isFitting: Bool, _ location: SourceLocation) -> Bool {
    if !isFitting { Issue.record("after \(action)", sourceLocation: location) }
    return isFitting
  }

  mutating func ended(
    _ end: BodyEnd, _ taken: Int, at now: Int = testNow, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .receive(let plan) = action, plan.take >= taken else {
      _ = fits(false, sourceLocation)
      return
    }
    action = machine.bodyEnded(end, taken: taken, at: now)
    note()
  }

  mutating func failed(_ fault: TransportFault, at now: Int = testNow) {
    action = machine.failed(fault, at: now)
    note()
  }

  mutating func judged(_ verdict: RefusalVerdict) {
    action = machine.judged(verdict, at: testNow)
    note()
  }

  mutating func mended() {
    action = machine.mended(at: testNow)
    note()
  }

  mutating func mendFailed() { action = machine.mendFailed(at: testNow) }

  /// A description comes, by default of the version that is read.
  mutating func described(
    _ version: ObjectVersion? = nil, route: Route? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard fits(action == .describe, sourceLocation) else { return }
    let description = ObjectDescription(
      version: version ?? machine.version, marks: (version ?? machine.version).marks, isSettled: true,
      acceptsRanges: true,
      route: route ?? Route(origin: machine.route.origin))
    action = machine.described(.success(description), at: testNow)
    note()
  }

  /// This description comes.
  mutating func described(_ description: ObjectDescription, sourceLocation: SourceLocation = #_sourceLocation) {
    guard fits(action == .describe, sourceLocation) else { return }
    action = machine.described(.success(description), at: testNow)
    note()
  }

  mutating func describingFailed(_ failure: Failure, sourceLocation: SourceLocation = #_sourceLocation) {
    guard fits(action == .describe, sourceLocation) else { return }
    action = machine.described(.failure(failure), at: testNow)
  }

  /// The request that is to be sent now.
  var request: RequestPlan? {
    if case .send(let plan) = action { plan } else { nil }
  }

  /// The failure, if the read has failed.
  var failure: Failure? {
    if case .fail(let failure) = action { failure } else { nil }
  }
}

extension TransferStep {
  /// A body to be received.
  static func receive(skip: Int = 0, _ take: Int, rest: Int?) -> TransferStep {
    .receive(BodyPlan(skip: skip, take: take, rest: rest))
  }
}
