/// What has happened, for a machine.
enum TransferEvent {
  case start
  case head(ResponseHead)
  /// Before a head.
  case fault(TransportFault)
  case judged(Verdict)
  case mended
  /// `nil`: there are no others.
  case mendFailed(Failure?)
  case bodyEnded(BodyEnd, taken: Int)
  case described(Result<ObjectDescription, Failure>)
}

/// What a machine wants next.
enum TransferStep {
  case send(RequestPlan)
  case judge
  case mend(Mend)
  case receive(BodyPlan)
  case describe
  case described(ObjectDescription)
  case finish
  case fail(Failure)
}

/// The machines of a description and of a read, as ``Transfer`` runs them.
protocol TransferMachine: Sendable {
  /// - Parameter pinned: the best mark of the version, which all its reads share. Descriptions have none.
  mutating func next(
    after event: TransferEvent, pinned: inout ObjectVersion.Identifier, at now: Int
  ) -> TransferStep
  /// What has been learnt, whatever comes out.
  var lessons: [Habits.Lesson] { get }
  /// Where requests go now.
  var route: Route { get }
}

extension DescriptionMachine: TransferMachine {
  var route: Route { context.route }

  mutating func next(
    after event: TransferEvent, pinned: inout ObjectVersion.Identifier, at now: Int
  ) -> TransferStep {
    let action =
      switch event {
      case .start: start(at: now)
      case .head(let head): received(head, at: now)
      case .fault(let fault): failed(fault, at: now)
      case .judged(let verdict): judged(verdict, at: now)
      case .mended: mended(at: now)
      case .mendFailed(let failure): mendFailed(failure, at: now)
      case .bodyEnded(let end, let taken): bodyEnded(end, taken: taken, at: now)
      case .described: preconditionFailure("a description wants no description")
      }
    return switch action {
    case .send(let plan): .send(plan)
    case .receive(let plan): .receive(plan)
    case .judge: .judge
    case .mend(let mend): .mend(mend)
    case .finish(let description): .described(description)
    case .fail(let failure): .fail(failure)
    }
  }
}

extension ReadMachine: TransferMachine {
  mutating func next(
    after event: TransferEvent, pinned: inout ObjectVersion.Identifier, at now: Int
  ) -> TransferStep {
    pin = pinned
    defer { pinned = pin }
    let action =
      switch event {
      case .start: start(at: now)
      case .head(let head): received(head, at: now)
      case .fault(let fault): failed(fault, at: now)
      case .judged(let verdict): judged(verdict, at: now)
      case .mended: mended(at: now)
      case .mendFailed(let failure): mendFailed(failure, at: now)
      case .bodyEnded(let end, let taken): bodyEnded(end, taken: taken, at: now)
      case .described(let result): described(result, at: now)
      }
    return switch action {
    case .send(let plan): .send(plan)
    case .judge: .judge
    case .mend(let mend): .mend(mend)
    case .receive(let plan): .receive(plan)
    case .describe: .describe
    case .finish: .finish
    case .fail(let failure): .fail(failure)
    }
  }
}
