#if HTTP
  internal import RangeIO

  /// The bodies that are read forward of one version of an object.
  final class ForwardBodies: Sendable {
    /// Streams that are far from each other have one each. More than that only while all are being read.
    private static let most = 4

    private struct State {
      var version: ObjectVersion?
      weak var pin: VersionPin?
      var bodies: [ForwardBody] = []
      /// How far bodies that are gone had come.
      var furthest = 0

      /// Whether the bodies are of what `snapshot` describes.
      func isOf(_ snapshot: RemoteObject.Snapshot) -> Bool { version == snapshot.version && pin === snapshot.pin }

      /// Whether a new body may pass over what lies before `start`: that is not much, or had come before.
      func mayPassOver(_ start: Int, _ core: ObjectCore) -> Bool {
        start <= core.settings.rules.mostPassedOver || start <= furthest || bodies.contains { start <= $0.position }
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
      for _ in 0..<Self.most where start < range.upperBound {
        guard let body = body(reaching: start, of: snapshot, core) else { break }
        start += try await body.read(start..<range.upperBound, until: deadline) { bytes in
          try bytes.forEachSpan { span throws in try span.withUnsafeBytes { try sink.write($0) } }
        }
      }
      guard start < range.upperBound else { return }
      throw Failure(
        .ignoresRanges,
        "the server ignores ranges, so bytes come only in their order, and \(ReadMachine.text(range)) are not what "
          + "follows: read the object from its start on, copy it to a file, or raise skipLimit")
    }

    /// Whether a read that begins at `start` costs little: it follows what is read, or is near the start.
    func reaches(_ start: Int, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore) -> Bool {
      let state = state.withLock { $0.isOf(snapshot) ? $0 : State() }
      return state.mayPassOver(start, core) || state.bodies.contains { $0.reaches(start) != .no }
    }

    /// A body that has, or will have, the byte at `start` soon; `nil`: it would have to skip too much.
    private func body(reaching start: Int, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore) -> ForwardBody? {
      var surplus: [ForwardBody] = []
      let (found, new) = state.withLock { state -> (ForwardBody?, ForwardBody?) in
        if !state.isOf(snapshot) {
          surplus = state.bodies.filter(\.isIdle)
          state = State(version: snapshot.version, pin: snapshot.pin)
        }
        var goesOn = state.mayPassOver(start, core)
        for body in state.bodies {
          switch body.reaches(start) {
          case .served: return (body, nil)
          case .failed: goesOn = true
          case .no: break
          }
        }
        guard goesOn else { return (nil, nil) }
        state.furthest = state.bodies.reduce(state.furthest) { max($0, $1.position) }
        state.bodies.removeAll { $0.hasFailed }
        // Reads that are under way are left alone.
        if state.bodies.count >= Self.most, let idle = state.bodies.firstIndex(where: \.isIdle) {
          surplus.append(state.bodies.remove(at: idle))
        }
        let new = ForwardBody(core, reaching: start)
        state.bodies.append(new)
        return (new, new)
      }
      for body in surplus { body.stop() }
      new?.start(snapshot)
      return found
    }
  }
#endif
