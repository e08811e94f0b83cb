#if HTTP
  internal import RangeIO

  // What the object was described as last, and the bytes that come along.

  extension RemoteObject {
    /// The description for readers: the last one, while nothing has changed.
    ///
    /// - Parameter charges: `false` if the caller charges the bytes, once it has read them.
    func adopt(_ object: ObjectDescription, _ body: OpeningBody, charges: Bool = true) -> SourceDescription {
      let measure = core.learnt.withLock { learnt in
        learnt.route = object.route
        return learnt.measure
      }
      let (source, surplus) = state.withLock { described -> (SourceDescription, OpeningBody?) in
        let before = (described.last?.traits.context as? Snapshot).flatMap {
          $0.version == object.version && !$0.pin.isOver ? $0 : nil
        }
        if let last = described.last, let before, last.traits.isSettled == object.isSettled {
          // All there is may have had to go, and has come again.
          let isNeeded = object.isAllThereIs && described.opening?.isDone ?? true && body.isPublished(with: object)
          guard isNeeded else { return (last, body) }
          described.opening = body
          before.opens(with: body)
          return (last, nil)
        }
        // That it has settled makes it no other version: what is read forward goes on.
        let known = before.flatMap { $0.version.identifier.isStrong ? $0.pin : nil }
        let pin = known ?? VersionPin.of(object.version, id: id)
        let snapshot = Snapshot(
          object.version, pin, stated: described.cost(measure),
          hasNoRanges: object.hasNoRanges || object.acceptsRanges == nil && before?.hasNoRanges ?? false,
          isSizeByEnd: object.isSizeByEnd, facts: ObjectFacts(object), core)
        return publish(
          snapshot, object.version.inGeneration(pin.generation).validator, isSettled: object.isSettled,
          body.isPublished(with: object) ? body : nil, &described)
      }
      if charges, surplus !== body { body.charge() }
      surplus?.stop()
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
      let body = OpeningBody(core)
      let (source, surplus) = state.withLock { described -> (SourceDescription, OpeningBody?) in
        described.recording = recording
        if let last = described.last, let snapshot = last.traits.context as? Snapshot,
          snapshot.recording == recording.number, last.byteCount == mark.end
        {
          return (last, body)
        }
        let version = mark.version.ofSize(mark.end)
        let snapshot = Snapshot(
          version, .of(version, id: id), stated: described.cost(measure), hasNoRanges: false, core, recording.number)
        body.holds(look.bytes.prefix(mark.end - look.start), from: look.start)
        return publish(
          snapshot, RecordingVersion(recording: recording.number, size: mark.end, of: "object"), isSettled: true,
          body, &described)
      }
      if surplus !== body { body.charge() }
      surplus?.stop()
      return source
    }

    /// The new description, with the bytes that come along, and the body that was there before.
    private func publish(
      _ snapshot: Snapshot, _ validator: (any SourceDescription.Validator)?, isSettled: Bool, _ body: OpeningBody?,
      _ described: inout Described
    ) -> (SourceDescription, surplus: OpeningBody?) {
      let surplus = described.opening
      described.opening = body
      if let body { snapshot.opens(with: body) }
      var traits = SourceDescription.Traits()
      (traits.cost, traits.isSettled, traits.context) = (snapshot.stated, isSettled, snapshot)
      traits.answersCancellation = true
      (traits.mayGrow, traits.isAppendOnly) = (snapshot.recording != nil, snapshot.recording != nil)
      let new = SourceDescription(
        id: id, name: name, validator: validator, byteCount: snapshot.version.size,
        preferredBlockSize: core.settings.blockSize ?? .bytes(RemoteConfiguration.usualBlockSize), traits: traits)
      described.last = new
      return (new, surplus)
    }

    /// The bytes that come with the description of `snapshot`, if some do and are of use.
    func opening(of snapshot: Snapshot) -> OpeningBody? {
      state.withLock { described in
        guard described.last?.traits.context as? Snapshot === snapshot else { return nil }
        if described.opening?.isDone ?? false { described.opening = nil }
        return described.opening
      }
    }
  }
#endif
