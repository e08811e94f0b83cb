#if HTTP
  internal import RangeIO

  /// The bodies that are read forward of one version of an object.
  final class ForwardBodies: Sendable {
    /// Streams that are far from each other have one each. More than that only while all are being read.
    private static let maxCount = 4

    private struct State {
      var version: ObjectVersion?
      weak var pin: VersionPin?
      var bodies: [ForwardBody] = []
      /// The furthest position of bodies that are gone.
      var furthest = 0

      /// The bodies are of the version that `snapshot` describes.
      func isOf(_ snapshot: RemoteObject.Snapshot) -> Bool { version == snapshot.version && pin === snapshot.pin }

      /// True if a new body may pass over the bytes before `start`: they are few, or had come before.
      func mayPassOver(_ start: Int, _ core: ObjectCore) -> Bool {
        start <= core.rules.maxPassedOver || start <= furthest || bodies.contains { start <= $0.position }
      }
    }
    private let state = Locked(State())

    /// Passes the bytes of `range` on, of a server without ranges.
    ///
    /// - Throws: `Failure` with `ignoresRanges` if they do not follow what is read.
    func read(
      _ range: Range<Int>, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore, into sink: BodySink,
      until deadline: Int64
    ) async throws {
      var start = range.lowerBound
      // A body may run past a read between the two calls.
      for _ in 0..<Self.maxCount where start < range.upperBound {
        let rest = start..<range.upperBound
        guard let (body, number) = begin(rest, of: snapshot, core) else { break }
        start += try await body.read(number, rest.count, until: deadline) { bytes in
          try bytes.forEachSpan { span throws in try span.withUnsafeBytes { try sink.write($0) } }
        }
      }
      guard start < range.upperBound else { return }
      throw Failure(
        .ignoresRanges,
        "the server ignores ranges, so bytes come only in their order, and \(ReadMachine.text(range)) are not what "
          + "follows: read the object from its start on, copy it to a file, or raise skipLimit")
    }

    /// True if a read that begins at `start` costs little: it follows what is read, or is near the start.
    func reaches(_ start: Int, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore) -> Bool {
      let state = state.withLock { $0.isOf(snapshot) ? $0 : State() }
      return state.mayPassOver(start, core) || state.bodies.contains { $0.reaches(start) }
    }

    /// Begins a read of a body that has, or will have, its first byte soon; `nil`: it would have to skip too much.
    ///
    /// Under the lock, since a body for which no read has begun counts as idle, and may be ended for another.
    func begin(
      _ range: Range<Int>, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore
    ) -> (ForwardBody, number: Int)? {
      let start = range.lowerBound
      var surplus: [ForwardBody] = []
      var isNew = false
      let found = state.withLock { state -> (ForwardBody, number: Int)? in
        if !state.isOf(snapshot) {
          surplus = state.bodies.filter(\.isIdle)
          state = State(version: snapshot.version, pin: snapshot.pin)
        }
        var goesOn = state.mayPassOver(start, core)
        for body in state.bodies {
          switch body.begin(range) {
          case .served(let number): return (body, number)
          case .failed: goesOn = true
          case .no: break
          }
        }
        guard goesOn else { return nil }
        state.furthest = state.bodies.reduce(state.furthest) { max($0, $1.position) }
        state.bodies.removeAll { $0.hasFailed }
        // Reads that are under way are left alone.
        if state.bodies.count >= Self.maxCount, let idle = state.bodies.firstIndex(where: \.isIdle) {
          surplus.append(state.bodies.remove(at: idle))
        }
        let new = ForwardBody(core, reaching: start)
        guard case .served(let number) = new.begin(range) else { return nil }
        state.bodies.append(new)
        isNew = true
        return (new, number)
      }
      for body in surplus { body.stopIfIdle() }
      if isNew { found?.0.start(snapshot) }
      return found
    }
  }
#endif
