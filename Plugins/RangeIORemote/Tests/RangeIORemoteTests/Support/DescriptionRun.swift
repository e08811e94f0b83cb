@testable import RangeIORemote

/// A description in a test: the machine, and what it wants next.
struct DescriptionRun {
  var machine: DescriptionMachine
  private(set) var action: TransferStep
  /// The requests so far.
  private(set) var requests: [RequestPlan] = []

  init(
    _ url: String = "https://example.org/data.bin", rules: TransferRules = TransferRules(), habits: Habits = Habits(),
    passesCaches: Bool = false, opening: Opening = .head, known: ObjectVersion? = nil
  ) throws {
    machine = DescriptionMachine(
      try ObjectURL(url), rules: rules, habits: habits, opening: opening, known: known, passesCaches: passesCaches)
    action = machine.start(at: testNow)
    note()
  }

  private mutating func note() {
    if case .send(let plan) = action { requests.append(plan) }
  }

  mutating func answer(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], at now: Int = testNow) {
    action = machine.received(ResponseHead(status, fields), at: now)
    note()
  }

  mutating func answer(_ head: ResponseHead) {
    action = machine.received(head, at: testNow)
    note()
  }

  mutating func ended(_ end: BodyEnd, _ taken: Int) {
    action = machine.bodyEnded(end, taken: taken, at: testNow)
    note()
  }

  mutating func failed(_ fault: TransportFault) {
    action = machine.failed(fault, at: testNow)
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

  /// The request that is to be sent now.
  var request: RequestPlan? {
    if case .send(let plan) = action { plan } else { nil }
  }

  /// The body that is to be received now.
  var body: BodyPlan? {
    switch action {
    case .receive(let plan), .open(_, let plan): plan
    default: nil
    }
  }

  /// A GET of the first byte of the user's URL is to be sent now.
  var isProbing: Bool { request?.method == .get && request?.range == 0..<1 && request?.url == requests.first?.url }

  var description: ObjectDescription? {
    switch action {
    case .described(let description), .open(let description, _): description
    default: nil
    }
  }

  var failure: Failure? {
    if case .fail(let failure) = action { failure } else { nil }
  }
}

/// The description that a server gives which answers `HEAD` with 200 and `fields`.
func described(_ fields: KeyValuePairs<String, String>, rules: TransferRules = TransferRules()) throws
  -> ObjectDescription?
{
  var run = try DescriptionRun(rules: rules)
  run.answer(200, fields)
  return run.description
}
