#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import RangeIO
  internal import RangeIOSupport

  /// Takes blocks from the engine. Fetches the blocks that it lacks, and puts them there.
  final class SharedCachingStage: ReadStage {
    struct State {
      /// By the id of the source.
      var times: [String: SourceTimes] = [:]
      var leases = OwnLeases()
      var pendingBytes = 0
      var counts = SharedCacheCounts()
      /// The families of the last versions.
      var families: [(source: SourceDescription, family: BlockFamily?)] = []
    }

    /// Another read has not found a block.
    private struct NotFound: Error {}

    /// Below this, an engine on the same machine would be too slow.
    static let minLimit = Duration.microseconds(500)
    /// After which a read fetches itself what another one still looks for.
    private static let maxWait = Duration.seconds(86_400)
    /// Of more sources the times are learnt anew.
    private static let maxSources = 256

    let store: any SharedCacheEngine
    let isTimely: Bool
    let configuration: SharedCacheConfiguration
    let frame: BlockFrame
    let state = NIOLockedValueBox(State())
    /// The blocks that reads of this process are looking for: each is looked up and fetched once, and the other reads get it from
    /// the one that began.
    private let own = SharedWork<FetchKey, Bytes>()

    init(_ store: any SharedCacheEngine, _ configuration: SharedCacheConfiguration) {
      self.store = store
      isTimely = store is SharedCacheNodes
      self.configuration = configuration
      frame = BlockFrame(keys: configuration.keys)
    }

    var placement: ReadPipeline.Placement { .belowCaching }

    // MARK: reading

    /// Reads what the engine has, and fetches the rest from below.
    ///
    /// - Throws: what the stages and the source below throw, and `CancellationError`; never for the engine's sake.
    nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      let size = max(1, configuration.maxReadSize.bytes)
      guard request.caching != .bypass, let family = family(of: request.source),
        var read = SharedRead(request, family, most: max(1, size / family.grid.blockSize)), !read.blocks.isEmpty,
        read.isWorthItsBlocks(request.source.traits.cost)
      else {
        state.withLockedValue { $0.counts.passed += 1 }
        return try await next(request)
      }
      // What other reads of this process are looking for comes from them.
      var joined: [(block: Int, wait: SharedWork<FetchKey, Bytes>.Wait)] = []
      var blocks: [Int] = []
      for block in read.blocks {
        if let wait = own.join(FetchKey(block, of: family)) {
          joined.append((block, wait))
        } else {
          blocks.append(block)
        }
      }
      // Those that were found have ended, and another read may look for them by now.
      defer {
        for block in blocks where read.contents[block] == nil {
          own.end(FetchKey(block, of: family), .failure(NotFound()))
        }
      }
      if !blocks.isEmpty { try await find(blocks, of: family, request, next, into: &read) }
      // After its own, so that two reads which wait for each other come to an end.
      if !joined.isEmpty { await wait(for: joined, next, into: &read) }
      try Task.checkCancellation()
      let missing = read.missing
      if !missing.isEmpty { try await fetch(missing, of: family, request, next, into: &read) }
      return read.response()
    }

    /// Takes the blocks that other reads find. Ends early when this read is cancelled, or its reader closed: the others may be
    /// those of another reader.
    private nonisolated(nonsending) func wait(
      for joined: [(block: Int, wait: SharedWork<FetchKey, Bytes>.Wait)], _ next: ReadNext, into read: inout SharedRead
    ) async {
      let waits = joined.map(\.wait)
      let end = next.time.now.advanced(by: Self.maxWait)
      let leaving = next.start {
        // `try?`: it fails when the reader is closed, and when nothing waits any more.
        try? await next.sleep(until: end)
        for wait in waits { wait.leave() }
      }
      defer { leaving.cancel() }
      for (block, wait) in joined {
        // `try?`: what the other read has not found, this one fetches.
        if let bytes = try? await wait.value() { read.has(bytes, of: block) }
      }
    }

    /// Finds blocks in the engine, and fetches the others.
    private nonisolated(nonsending) func find(
      _ blocks: [Int], of family: BlockFamily, _ request: ReadRequest, _ next: ReadNext, into read: inout SharedRead
    ) async throws {
      let awaited = await lookUp(blocks, of: family, leasing: true, request, next, into: &read)
      let missing = blocks.filter { read.contents[$0] == nil && !awaited.contains($0) }
      do {
        try Task.checkCancellation()
        if awaited.isEmpty {
          if !missing.isEmpty { try await fetch(missing, of: family, request, next, into: &read) }
        } else {
          try await wait(for: awaited, fetching: missing, of: family, request, next, into: &read)
        }
      } catch {
        // A block that arrives all the same is put, which ends its lease.
        abandon(missing.map(family.key), of: request.source, next)
        throw error
      }
    }

    /// The read has the bytes of a block, and so have the reads that wait for it.
    func has(_ bytes: Bytes, of block: Int, in family: BlockFamily, _ read: inout SharedRead) {
      read.has(bytes, of: block)
      own.end(FetchKey(block, of: family), .success(bytes))
    }

    func times(of source: SourceDescription) -> SourceTimes {
      state.withLockedValue { $0.times[source.id] } ?? SourceTimes(stated: source.traits.cost.latency)
    }

    /// The lifetime of a lease: enough for a process to bring a block.
    func lease(_ times: SourceTimes) -> Duration { max(.seconds(1), times.longest * 4) }

    /// The blocks of these keys are not brought.
    private func abandon(_ keys: [SharedBlockKey], of source: SourceDescription, _ next: ReadNext) {
      let now = next.time.now
      let end = now.advanced(by: lease(times(of: source)))
      state.withLockedValue { $0.leases.abandon(keys, until: end, now: now) }
    }

    /// Fetches `missing`, while another process brings `awaited`; then those of them that it has not brought.
    private nonisolated(nonsending) func wait(
      for awaited: Set<Int>, fetching missing: [Int], of family: BlockFamily, _ request: ReadRequest, _ next: ReadNext,
      into read: inout SharedRead
    ) async throws {
      let longest = times(of: request.source).longest
      let end = next.time.now.advanced(by: longest)
      var counts = SharedCacheCounts()
      counts.waits = awaited.count
      if !missing.isEmpty { try await fetch(missing, of: family, request, next, into: &read) }
      var left = awaited
      // The first look is soon: the other one may have begun long ago. After a fetch it is at once, however late that is.
      var pause = missing.isEmpty ? longest / 16 : .zero
      while !left.isEmpty, pause == .zero || next.time.now < end {
        if pause > .zero { try await next.sleep(until: min(end, next.time.now.advanced(by: pause))) }
        pause = min(max(pause * 2, longest / 16), longest / 4)
        _ = await lookUp(left.sorted(), of: family, leasing: false, request, next, into: &read)
        try Task.checkCancellation()
        left = left.filter { read.contents[$0] == nil }
      }
      counts.waited = awaited.count - left.count
      state.withLockedValue { $0.counts += counts }
      if !left.isEmpty { try await fetch(left.sorted(), of: family, request, next, into: &read) }
    }

    /// Fetches blocks from below, and puts them into the engine.
    private nonisolated(nonsending) func fetch(
      _ blocks: [Int], of family: BlockFamily, _ request: ReadRequest, _ next: ReadNext, into read: inout SharedRead
    ) async throws {
      let ranges = read.ranges(of: blocks)
      var below = request
      below.range = ranges[0]
      below.moreRanges = Array(ranges.dropFirst())
      let began = next.time.now
      let response = try await next(below)
      let took = began.duration(to: next.time.now)
      let size = ranges.reduce(0) { $0 + $1.count }
      let times = SourceTimes(stated: request.source.traits.cost.latency)
      state.withLockedValue { state in
        if state.times.count >= Self.maxSources, state.times[request.source.id] == nil { state.times = [:] }
        state.times[request.source.id, default: times].record(took, of: size, request.source.traits.cost)
      }
      var fetched: [(block: Int, bytes: Bytes)] = []
      for (range, bytes) in zip(ranges, [response.bytes] + response.moreBytes) {
        for piece in family.grid.pieces(of: range) {
          let part = bytes[piece.range.lowerBound - range.lowerBound..<piece.range.upperBound - range.lowerBound]
          has(part, of: piece.block, in: family, &read)
          fetched.append((piece.block, part))
        }
      }
      share(fetched, of: family, request.source, next)
    }

    // MARK: writing

    /// Puts blocks into the engine, beside the read, unless too many wait for that already.
    private func share(
      _ blocks: [(block: Int, bytes: Bytes)], of family: BlockFamily, _ source: SourceDescription, _ next: ReadNext
    ) {
      let size = blocks.reduce(0) { $0 + $1.bytes.count }
      let isPermitted = state.withLockedValue { state in
        guard state.pendingBytes + size <= configuration.pendingWriteLimit.bytes else {
          state.counts.dropped += blocks.count
          return false
        }
        state.pendingBytes += size
        return true
      }
      guard isPermitted else { return abandon(blocks.map { family.key($0.block) }, of: source, next) }
      let lifetime = configuration.lifetime * Double.random(in: 0.9...1.1)
      next.start { [self] in
        var values: [(key: SharedBlockKey, value: Bytes)] = []
        for (block, bytes) in blocks {
          // `try?`: encryption fails for no block of a size that is permitted; then it is not shared.
          guard let value = try? frame.value(of: bytes, block: block, in: family) else { continue }
          values.append((family.key(block), value))
        }
        let stored = await store.set(values, lifetime: lifetime)
        state.withLockedValue { state in
          state.pendingBytes -= size
          state.counts.stored += stored
          state.counts.dropped += blocks.count - stored
          state.leases.put(blocks.count, stored: stored)
        }
        if stored < blocks.count { abandon(blocks.map { family.key($0.block) }, of: source, next) }
      }
    }

    // MARK: families

    /// `nil` if the source's version cannot be shared.
    private func family(of source: SourceDescription) -> BlockFamily? {
      // It may settle.
      guard source.traits.isSettled else { return nil }
      if let known = state.withLockedValue({ $0.families.first { $0.source === source } }) { return known.family }
      let most = store.valueLimit - 8192
      var size = min((configuration.blockSize ?? source.preferredBlockSize).bytes, 1 << 30)
      while size > most, size > 1 { size /= 2 }
      let family = size > 0 && size <= most ? BlockFamily(source, blockSize: size) : nil
      state.withLockedValue { state in
        if state.families.count >= 16 { state.families.removeFirst() }
        state.families.append((source, family))
      }
      return family
    }

    /// Blocks found and not found, those that another process was waited for and those it brought, and values that were
    /// not what they should be.
    func statistics() -> Counters? {
      state.withLockedValue { $0.counts }.reported
    }
  }
#endif
