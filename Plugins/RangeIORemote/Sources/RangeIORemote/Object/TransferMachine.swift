/// An event for a machine.
enum TransferEvent {
  case start
  case head(ResponseHead)
  /// Before a head.
  case fault(TransportFault)
  case judged(RefusalVerdict)
  case mended
  case mendFailed
  case bodyEnded(BodyEnd, taken: Int)
  case described(Result<ObjectDescription, Failure>)
}

/// The machines of a description and of a read, as ``Transfer`` runs them.
protocol TransferMachine: Sendable {
  mutating func start(at now: Int) -> TransferStep
  mutating func received(_ head: ResponseHead, at now: Int) -> TransferStep
  mutating func failed(_ fault: TransportFault, at now: Int) -> TransferStep
  mutating func judged(_ verdict: RefusalVerdict, at now: Int) -> TransferStep
  mutating func mended(at now: Int) -> TransferStep
  mutating func mendFailed(at now: Int) -> TransferStep
  mutating func bodyEnded(_ end: BodyEnd, taken count: Int, at now: Int) -> TransferStep
  mutating func described(_ result: Result<ObjectDescription, Failure>, at now: Int) -> TransferStep
  /// The best mark of the version, which all its reads share. Descriptions have none.
  var pin: ObjectVersion.Identifier { get set }
  /// The lessons so far, to be kept whatever comes out.
  var lessons: [Habits.Lesson] { get }
  /// What it keeps from request to request.
  var context: RequestContext { get set }
  /// Where requests go now.
  var route: Route { get }
}

extension TransferMachine {
  /// - Parameter pinned: see ``pin``.
  mutating func next(
    after event: TransferEvent, pinned: inout ObjectVersion.Identifier, at now: Int
  ) -> TransferStep {
    pin = pinned
    defer { pinned = pin }
    return switch event {
    case .start: start(at: now)
    case .head(let head): received(head, at: now)
    case .fault(let fault): failed(fault, at: now)
    case .judged(let verdict): judged(verdict, at: now)
    case .mended: mended(at: now)
    case .mendFailed: mendFailed(at: now)
    case .bodyEnded(let end, let taken): bodyEnded(end, taken: taken, at: now)
    case .described(let result): described(result, at: now)
    }
  }
}

extension ReadMachine: TransferMachine {}

extension DescriptionMachine: TransferMachine {
  var route: Route { context.route }

  var pin: ObjectVersion.Identifier {
    get { .unknown }
    set {}
  }

  mutating func described(_ result: Result<ObjectDescription, Failure>, at now: Int) -> TransferStep {
    preconditionFailure("a description wants no description")
  }
}
