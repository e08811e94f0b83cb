#if HTTP
  internal import RangeIO

  extension RemoteObject {
    /// The bytes of `range`, in memory of exactly their size.
    ///
    /// - Throws: `ReadError`, with `sourceChanged` if the version is gone; errors of the credentials' provider;
    ///   `CancellationError`, at once.
    nonisolated(nonsending) func bytes(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let sink = BodySink(count: range.count)
      try await read(range, of: source, into: sink)
      return sink.parts()[0]
    }

    /// The bytes of several ranges, in their order, each in memory of its own. Ranges without a gap between them are one
    /// request. As many are read at the same time as there may be connections.
    nonisolated(nonsending) func bytes(
      _ ranges: [ByteRange], of source: SourceDescription
    ) async throws -> [Bytes] {
      var all = [Bytes](repeating: Bytes(), count: ranges.count)
      // By the index of its first range.
      var runs: [Range<Int>] = []
      for (index, range) in ranges.enumerated() where !range.isEmpty {
        if let last = runs.last, last.upperBound == index, ranges[index - 1].upperBound == range.lowerBound {
          runs[runs.count - 1] = last.lowerBound..<index + 1
        } else {
          runs.append(index..<index + 1)
        }
      }
      if runs.count == 1, let run = runs.first {
        all.replaceSubrange(run, with: try await bytes(run: ranges[run], of: source))
        return all
      }
      let most = core.settings.maxConnectionsPerHost
      try await withThrowingTaskGroup(of: (Range<Int>, [Bytes]).self) { group in
        for (count, run) in runs.enumerated() {
          if count >= most, let (run, bytes) = try await group.next() { all.replaceSubrange(run, with: bytes) }
          group.addTask { (run, try await self.bytes(run: ranges[run], of: source)) }
        }
        for try await (run, bytes) in group { all.replaceSubrange(run, with: bytes) }
      }
      return all
    }

    private nonisolated(nonsending) func bytes(
      run: ArraySlice<ByteRange>, of source: SourceDescription
    ) async throws -> [Bytes] {
      let sink = BodySink(parts: run.map(\.count))
      try await read(run[run.startIndex].lowerBound..<run[run.endIndex - 1].upperBound, of: source, into: sink)
      return sink.parts()
    }

    /// Passes the bytes of `range` to `receive`, in order and as they arrive, in pieces of any size.
    nonisolated(nonsending) func pass(
      _ range: ByteRange, of source: SourceDescription, to receive: @escaping @Sendable (Bytes) throws -> Void
    ) async throws {
      guard core.rules.isAppendOnly else { return try await read(range, of: source, into: BodySink(receive)) }
      // What is passed on cannot be taken back, and is compared first.
      var rest = range
      while !rest.isEmpty {
        let part = rest.prefix(Opening.maxBytes)
        try receive(try await bytes(part, of: source))
        rest = part.upperBound..<rest.upperBound
      }
    }

    /// Passes all bytes to `receive`, of one GET without a range, and returns how many there were.
    nonisolated(nonsending) func passAll(to receive: (Bytes) throws -> Void) async throws -> Int {
      var rules = core.rules
      (rules.prefixLimit, rules.cuts) = (.max, 0)
      let habits = core.learnt.withLock { $0.habits }
      let body = ForwardBody(core, reaching: 0, keeping: 0)
      // Before the body runs, so that a failure reaches this read.
      guard case .served(let number) = body.begin(0..<Int.max) else { throw ReadError.closed }
      body.start(DescriptionMachine(core.origin, rules: rules, habits: habits, opening: .whole))
      defer { body.stop() }
      do {
        let count = try await body.read(number, Int.max, until: core.deadline, receive)
        countRead(of: count)
        return count
      } catch let failure as Failure {
        throw failure.readError(source: name)
      }
    }

    private nonisolated(nonsending) func read(
      _ range: ByteRange, of source: SourceDescription, into sink: BodySink
    ) async throws {
      let (snapshot, deadline) = (try snapshot(of: range, in: source), core.deadline)
      var taken = try await opened(range, of: snapshot, into: sink, until: deadline)
      if taken < range.count, snapshot.isSizeByEnd, opening(of: snapshot) == nil,
        !snapshot.pin.withBest({ $0.isStrong })
      {
        taken += try await openedAnew(range.lowerBound + taken..<range.upperBound, of: snapshot, sink, until: deadline)
      }
      while taken < range.count {
        let rest = range.lowerBound + taken..<range.upperBound
        let end = opening(of: snapshot)?.start(within: rest) ?? range.upperBound
        try await request(range.lowerBound..<end, begun: taken, of: source, into: sink, until: deadline)
        taken = end - range.lowerBound
        if end < range.upperBound {
          taken += try await opened(end..<range.upperBound, of: snapshot, into: sink, until: deadline)
        }
      }
      countRead(of: range.count)
    }

    /// Requests `range`, of which `begun` bytes are there.
    private nonisolated(nonsending) func request(
      _ range: ByteRange, begun: Int, of source: SourceDescription, into sink: BodySink, until deadline: Int64
    ) async throws {
      let transfer = try transfer(of: range, begun: begun, of: source, into: sink, until: deadline)
      do {
        do {
          guard try !isForward(range, of: source) else { throw Failure(.ignoresRanges, "the server ignores ranges") }
          try await transfer.run()
          core.learn(transfer.look { $0.route }, after: transfer.firstRoute)
          if core.rules.isAppendOnly {
            let (moved, version) = transfer.look { ($0.moved, $0.version) }
            try await check(moved, since: version, of: snapshot(of: source), until: deadline)
          }
        } catch let failure as Failure where failure.reason == .ignoresRanges {
          guard !core.rules.isAppendOnly else { throw failure }
          let rest = range.lowerBound + transfer.look { $0.taken }..<range.upperBound
          try await forward.read(rest, of: snapshot(of: source), core, into: sink, until: deadline)
        }
      } catch { throw readError(error, range, of: source, transfer) }
    }

    /// A read has passed all its `byteCount` bytes on.
    private func countRead(of byteCount: Int) {
      core.counts.add(1, to: ObjectCore.Count.reads.rawValue)
      core.counts.add(byteCount, to: ObjectCore.Count.bytes.rawValue)
    }

    // Never inlined, as in `Transfer`: a route has many strings.

    /// True if `range` is read of a body of the whole, without asking for it first: the server is known to ignore ranges, and
    /// little has to be passed over. Elsewhere ranges are tried: some caches answer only the first request with the whole.
    private func isForward(_ range: ByteRange, of source: SourceDescription) throws(ReadError) -> Bool {
      guard !core.rules.isAppendOnly, range.count < source.byteCount, core.learnt.withLock({ $0.habits.ignoresRanges })
      else { return false }
      return try forward.reaches(range.lowerBound, of: snapshot(of: source), core)
    }

    /// Takes what comes with the description of the first bytes of `range`, and returns how many bytes that are.
    private nonisolated(nonsending) func opened(
      _ range: ByteRange, of snapshot: Snapshot, into sink: BodySink, until deadline: Int64
    ) async throws -> Int {
      guard let body = opening(of: snapshot) else { return 0 }
      do { return try await body.read(range, of: snapshot, into: sink, until: deadline) } catch let failure as Failure {
        throw failure.readError(source: name, range: range)
      }
    }

    /// The same after a new description, with which all bytes come once more: of a version without a size in its answers, and
    /// without a strong tag, nothing else can be read.
    @inline(never) private nonisolated(nonsending) func openedAnew(
      _ range: ByteRange, of snapshot: Snapshot, _ sink: BodySink, until deadline: Int64
    ) async throws -> Int {
      let body = OpeningBody(core)
      let transfer = core.description(.probe, knowing: snapshot.version, opening: body, until: deadline)
      do { try await transfer.run() } catch let failure as Failure {
        throw failure.readError(source: name, range: range)
      }
      let source = adopt(transfer.description, body, charges: false)
      // Not before this read has had them: other sources may need the room.
      defer { body.charge() }
      // It may have settled since, which makes it no other version.
      guard let now = source.traits.context as? Snapshot,
        now === snapshot || now.version == snapshot.version && now.pin === snapshot.pin
      else {
        throw ReadError(
          .sourceChanged, "the object is another version since it was opened: open it again to read that", source: name,
          range: range)
      }
      return try await opened(range, of: now, into: sink, until: deadline)
    }

    /// The snapshot that `source` carries, if `range` lies within its object.
    @inline(never) private func snapshot(
      of range: ByteRange, in source: SourceDescription
    ) throws(ReadError) -> Snapshot {
      let snapshot = try snapshot(of: source)
      let version = snapshot.version
      guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= version.size else {
        throw ReadError(
          .rangeNotSatisfiable, "the range is empty, or does not lie within the \(version.size) bytes of the object",
          source: name, range: range)
      }
      return snapshot
    }

    @inline(never) private func transfer(
      of range: ByteRange, begun: Int, of source: SourceDescription, into sink: BodySink, until deadline: Int64
    ) throws(ReadError) -> Transfer<ReadMachine> {
      let snapshot = try snapshot(of: source)
      let (route, habits) = core.learnt.withLock { ($0.route, $0.habits) }
      var (version, pin) = (snapshot.version, snapshot.pin)
      if core.rules.isAppendOnly {
        // A later version has the same bytes, and is the one to be met.
        do { version = try mark(of: snapshot).version } catch { throw error.readError(source: name, range: range) }
        pin = VersionPin.of(version, id: source.id)
      }
      let machine = ReadMachine(range, of: version, taken: begun, route: route, rules: core.rules, habits: habits)
      return Transfer(machine, core, into: sink, until: deadline, sharing: pin)
    }

    /// The error that a read throws in place of `error`.
    @inline(never) private func readError(
      _ error: any Error, _ range: ByteRange, of source: SourceDescription, _ transfer: Transfer<ReadMachine>
    ) -> any Error {
      guard let failure = error as? Failure else { return (error as? ReadError)?.naming(name, range) ?? error }
      if failure.reason == .changed {
        transfer.pin?.end()
        endRecording(of: source)
      }
      // What redirects led to may be what is wrong.
      core.learn(Route(origin: core.origin), after: transfer.firstRoute)
      return failure.readError(source: name, range: range)
    }
  }
#endif
