#if HTTP
  internal import RangeIO

  // Objects that only grow, and how one that was cut or replaced is told from one that grew.

  extension RemoteObject {
    /// Asks the server how long the object is now, and compares the bytes before the end that is known.
    ///
    /// - Parameter deadline: of all requests together.
    /// - Throws: `Failure`; errors of credentials; `CancellationError`, at once.
    nonisolated(nonsending) func describedGrowing(until deadline: Int64) async throws -> SourceDescription {
      var recording = growing
      while true {
        if !recording.hasEnded, let (look, mark) = try await look(at: recording, until: deadline) {
          return adopt(mark, of: recording, look)
        }
        recording = recording.next
      }
    }

    /// Looks at the object; `nil` if it has ended.
    private nonisolated(nonsending) func look(
      at recording: GrowingObject, until deadline: Int64
    ) async throws -> (GrowthLook, GrowthMark)? {
      var known = recording.mark
      var look = GrowthLook(after: known, opening: Opening(core.settings.opening))
      var step = look.first
      while true {
        switch step {
        case .ask(let opening):
          // A body that the time has cut is short, and no failure by itself.
          guard Watch.now < deadline else { throw TransportFault.deadline.failure }
          let sink = BodySink()
          let transfer = asking(opening, sink, until: deadline)
          try await transfer.run()
          step = answered(&look, transfer.description, sink)
        case .found(let mark):
          if let mark = recording.advance(from: known, to: mark) { return (look, mark) }
          // Another look was the first. What this one found may be another object.
          known = recording.mark
          look = GrowthLook(after: known, opening: Opening(core.settings.opening))
          step = look.first
        case .ended:
          recording.end()
          return nil
        case .fail(let failure): throw failure
        }
      }
    }

    // Never inlined, as in `Transfer`.
    @inline(never) private func asking(
      _ opening: Opening, _ sink: BodySink, until deadline: Int64
    ) -> Transfer<DescriptionMachine> {
      core.description(opening, into: sink, until: deadline)
    }

    @inline(never) private func answered(
      _ look: inout GrowthLook, _ object: ObjectDescription, _ sink: BodySink
    ) -> GrowthLook.Step {
      core.learnt.withLock { $0.route = object.route }
      // What came before an answer that was asked for again counts no more.
      return look.answered(object, Array(sink.collected.suffix(object.bytes.count)))
    }

    /// Throws unless `source` is of the recording that is read.
    ///
    /// - Returns: what a read of it has to find.
    func mark(of snapshot: Snapshot) throws(Failure) -> GrowthMark {
      let recording = growing
      guard snapshot.recording == recording.number, !recording.hasEnded, let mark = recording.mark else {
        throw Self.hasEnded
      }
      return mark
    }

    /// Throws unless the versions that a read has met are of the recording. Called after the read and before its bytes are
    /// returned: they were read between two looks that agree.
    ///
    /// - Parameter version: that of the mark when the read began.
    nonisolated(nonsending) func check(
      _ moved: Set<ObjectVersion>, since version: ObjectVersion, of snapshot: Snapshot, until deadline: Int64
    ) async throws {
      if try mark(of: snapshot).vouches(for: moved) { return }
      for _ in 0..<GrowthLook.maxRequests {
        _ = try await describedGrowing(until: deadline)
        if try mark(of: snapshot).covers(moved, since: version) { return }
      }
      throw Self.isBehind
    }

    /// A read of `source` has found that the object is shorter, or gone.
    func endRecording(of source: SourceDescription) {
      let recording = core.rules.isAppendOnly ? (source.traits.context as? Snapshot)?.recording : nil
      if let recording, recording == growing.number { growing.end() }
    }

    private static let isBehind = Failure(
      .staleAnswer,
      "the server answered a range as a version that it does not show when it is asked for the end of the object: "
        + "servers or caches behind it differ; if their tags do, judge versions by time")

    static let hasEnded = Failure(
      .changed, RecordingVersion.hasEnded("object") + " since it was opened: open it again to read what is there now")
  }
#endif
