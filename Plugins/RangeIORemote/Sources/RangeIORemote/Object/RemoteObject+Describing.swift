#if HTTP
  internal import RangeIO

  // What the object was described as last, and the bytes that came along.

  extension RemoteObject {
    /// The description for readers: the last one, while nothing has changed.
    func adopt(_ object: ObjectDescription, _ sink: BodySink) -> SourceDescription {
      let measure = core.learnt.withLock { learnt in
        learnt.route = object.route
        return learnt.measure
      }
      let (source, opening) = state.withLock { described -> (SourceDescription, OpeningBytes?) in
        if let last = described.last, let snapshot = last.traits.context as? Snapshot,
          snapshot.version == object.version, last.traits.isSettled == object.isSettled, !snapshot.pin.isOver
        {
          return (last, nil)
        }
        let pin = VersionPin.of(object.version, id: id)
        let snapshot = Snapshot(
          object.version, pin, stated: described.cost(measure), hasNoRanges: object.hasNoRanges,
          facts: ObjectFacts(object), core)
        let stays = object.acceptsRanges == false && object.bytes == 0..<object.size
        return publish(
          snapshot, object.version.inGeneration(pin.generation).validator, isSettled: object.isSettled,
          (object.bytes, sink.collected, stays), &described)
      }
      opening?.charge()
      return source
    }

    /// The recording that is read, if the object only grows.
    var growing: GrowingObject {
      state.withLock { described in
        let known = described.recording ?? .of(id)
        described.recording = known
        return known
      }
    }

    /// The description of a recording up to `mark`: the last one, while it has not grown. What only grows is always settled.
    func adopt(_ mark: GrowthMark, of recording: GrowingObject, _ look: GrowthLook) -> SourceDescription {
      let measure = core.learnt.withLock { $0.measure }
      let (source, opening) = state.withLock { described -> (SourceDescription, OpeningBytes?) in
        described.recording = recording
        if let last = described.last, let snapshot = last.traits.context as? Snapshot,
          snapshot.recording == recording.number, last.byteCount == mark.end
        {
          return (last, nil)
        }
        let version = mark.version.ofSize(mark.end)
        let snapshot = Snapshot(
          version, .of(version, id: id), stated: described.cost(measure), hasNoRanges: false, core, recording.number)
        let range = look.start..<min(look.start + look.bytes.count, mark.end)
        return publish(
          snapshot, RecordingVersion(recording: recording.number, size: mark.end, of: "object"), isSettled: true,
          (range, look.bytes, false), &described)
      }
      opening?.charge()
      return source
    }

    /// The new description, with the bytes that came along.
    private func publish(
      _ snapshot: Snapshot, _ validator: (any SourceDescription.Validator)?, isSettled: Bool,
      _ came: (range: Range<Int>, bytes: [UInt8], stays: Bool), _ described: inout Described
    ) -> (SourceDescription, OpeningBytes?) {
      described.opening = OpeningBytes(came.range, came.bytes, stays: came.stays, snapshot) {
        [weak self, weak snapshot] in
        self?.dropOpening(of: snapshot)
      }
      if described.opening != nil { snapshot.opened.withLock { $0 = came.range } }
      var traits = SourceDescription.Traits()
      (traits.cost, traits.isSettled, traits.context) = (snapshot.stated, isSettled, snapshot)
      traits.answersCancellation = true
      (traits.mayGrow, traits.isAppendOnly) = (snapshot.recording != nil, snapshot.recording != nil)
      let new = SourceDescription(
        id: id, name: name, validator: validator, byteCount: snapshot.version.size,
        preferredBlockSize: core.settings.blockSize ?? .bytes(RemoteConfiguration.usualBlockSize), traits: traits)
      described.last = new
      return (new, described.opening)
    }

    private func dropOpening(of snapshot: Snapshot?) {
      snapshot?.opened.withLock { $0 = nil }
      let dropped = state.withLock { described -> OpeningBytes? in
        guard described.opening?.snapshot === snapshot else { return nil }
        defer { described.opening = nil }
        return described.opening
      }
      withExtendedLifetime(dropped) {}
    }

    /// The first bytes of `range` that came with the description.
    func opening(_ range: Range<Int>, of snapshot: Snapshot) -> ArraySlice<UInt8> {
      state.withLock { described in
        guard described.opening?.snapshot === snapshot, let found = described.opening?.beginning(of: range) else {
          return []
        }
        let isOver = found.isOver || snapshot.pin.isOver
        if isOver {
          described.opening = nil
          snapshot.opened.withLock { $0 = nil }
        }
        return snapshot.pin.isOver ? [] : found.bytes
      }
    }
  }
#endif
