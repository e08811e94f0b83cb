#if HTTP
  internal import RangeIO

  /// The bodies that are read forward of one version of an object.
  final class ForwardBodies: Sendable {
    /// Streams that are far from each other have one each.
    private static let most = 4

    private struct State {
      weak var snapshot: RemoteObject.Snapshot?
      var bodies: [ForwardBody] = []
    }
    private let state = Locked(State())

    /// Passes the bytes of `range` on, of a server without ranges.
    ///
    /// - Throws: `Failure` with `ignoresRanges` if they do not follow what is read.
    func read(
      _ range: Range<Int>, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore, into sink: BodySink
    ) async throws {
      let deadline = core.deadline
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
          + "follows: read the object from its start on, or copy it to a file")
    }

    /// Whether a read that begins at `start` costs little: it follows what is read, or is near the start.
    func reaches(_ start: Int, of snapshot: RemoteObject.Snapshot) -> Bool {
      let bodies = state.withLock { $0.snapshot === snapshot ? $0.bodies : [] }
      return start <= ForwardWindow.mostAhead || bodies.contains { $0.reaches(start) != .no }
    }

    /// A body that has, or will have, the byte at `start` soon; `nil`: it would have to skip too much.
    private func body(reaching start: Int, of snapshot: RemoteObject.Snapshot, _ core: ObjectCore) -> ForwardBody? {
      var surplus: [ForwardBody] = []
      let (found, new) = state.withLock { state -> (ForwardBody?, ForwardBody?) in
        if state.snapshot !== snapshot {
          surplus = state.bodies
          state = State(snapshot: snapshot)
        }
        var goesOn = start <= ForwardWindow.mostAhead
        for body in state.bodies {
          switch body.reaches(start) {
          case .served: return (body, nil)
          case .failed: goesOn = true
          case .no: break
          }
        }
        guard goesOn else { return (nil, nil) }
        state.bodies.removeAll { $0.hasFailed }
        if state.bodies.count == Self.most { surplus.append(state.bodies.removeFirst()) }
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
