/// A fetch that waits in a line, with a task of the read that wants it. So whichever fetch ends before it, it is read with the
/// priority and the task-local values of that read. A group is read by the task of its first.
///
/// The task is cancelled when no read wants the fetch any more. Then what was reserved for it is free at once.
struct FetchPlace: Sendable {
  typealias Work = @Sendable () async -> Void

  let fetch: PlannedFetch
  let task: Task<Void, Never>
  /// What the task does: reads a group, or nothing, if another task reads it. Answered early: it has left.
  private let turn: Promise<Work>

  init(_ fetch: PlannedFetch, _ keeper: CacheKeeper, _ next: ReadNext) {
    let turn = Promise<Work>()
    (self.fetch, self.turn) = (fetch, turn)
    task = next.startFlight(elsewhere: false) {
      do {
        let work = try await turn.value()
        await work()
      } catch {
        PlannedFetch.giveUp([fetch], CachingStage.GivenUp(error: error), keeper)
      }
    }
    fetch.token.flights.started(fetch.start.flight, task)
  }

  /// While it waits: no read wants it any more.
  var hasLeft: Bool { turn.isAnswered }

  /// The turn of `places` has come: the places that a read still waits for are read as one request. The others give
  /// themselves up.
  ///
  /// - Parameters:
  ///   - places: of one version.
  ///   - ended: called at the end.
  /// - Returns: `false` if nothing is started, since all have left.
  static func start(
    _ places: [FetchPlace], _ keeper: CacheKeeper, _ next: ReadNext, ended: @escaping @Sendable () -> Void
  ) -> Bool {
    let token = places[0].fetch.token
    let wanted = token.flights.startedTogether(places.map { ($0.fetch.start.flight, $0.task) }).map { places[$0] }
    guard let first = wanted.first else { return false }
    for other in wanted.dropFirst() { other.turn.resolve(.success {}) }
    let fetches = wanted.map(\.fetch)
    let isStarted = first.turn.resolve(
      .success {
        await PlannedFetch.read(fetches, keeper, next)
        ended()
      })
    // Or all have left just now, and the first gives itself up.
    if !isStarted { PlannedFetch.giveUp(fetches.dropFirst(), CachingStage.GivenUp(error: CancellationError()), keeper) }
    return isStarted
  }
}
