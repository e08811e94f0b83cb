@testable import RangeIO

/// The flights of one token, as an object: values that are not copied cannot stand in expectations.
final class TestFlights: Sendable {
  private let table = FlightTable(BlockGrid(blockSize: 65_536)!)

  var completionCount: Int { table.completionCount }
  var count: Int { table.count }

  func plan<Found: Sendable>(
    _ wants: FlightWants, since mark: FlightMark, purpose: ReadUrgency.Purpose, _ wait: FetchWait?,
    widen: @Sendable (ByteRange) -> ByteRange, lookAgain: @Sendable () -> (Found, FlightWants)
  ) -> FlightTable.Planned<Found> {
    table.plan(wants, since: mark, purpose: purpose, wait, widen: widen, lookAgain: lookAgain)
  }

  func brings(_ range: ByteRange) -> Bool { table.brings(range) }
  func started(_ id: FlightID, _ task: Task<Void, Never>) { table.started(id, task) }
  func started(_ ids: [FlightID], _ task: Task<Void, Never>) { table.started(ids, task) }
  func areWanted(_ ids: [FlightID]) -> Bool { table.areWanted(ids) }
  func urgency(of starts: [FlightPlan.Start]) -> ReadUrgency? { table.urgency(of: starts) }
  func leave(_ plan: FlightPlan) { table.leave(plan) }
  func rest() { table.rest() }

  func complete(_ id: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    table.complete(id, range, result)
  }
}
