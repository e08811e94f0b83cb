#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import RangeIO

  // Looking for blocks in the engine.

  extension SharedCachingStage {
    /// Asks the engine. Returns the blocks that another process is bringing.
    nonisolated(nonsending) func lookUp(
      _ blocks: [Int], of family: BlockFamily, leasing: Bool, _ request: ReadRequest, _ next: ReadNext,
      into read: inout SharedRead
    ) async -> Set<Int> {
      let times = times(of: request.source)
      let mayLease = leasing && !state.withLockedValue { $0.leases.areUseless }
      let answers = await ask(
        blocks.map(family.key), lease: mayLease ? lease(times) : nil,
        within: configuration.lookUpTimeout ?? max(times.usual / 10, Self.minLimit), atMost: times.longest, next)
      var awaited: Set<Int> = []
      var counts = SharedCacheCounts()
      for (block, answer) in zip(blocks, answers) {
        switch answer {
        case .value(let value):
          do throws(BlockFrame.Fault) {
            has(try frame.contents(of: value, block: block, in: family), of: block, in: family, &read)
            counts.hits += 1
          } catch {
            counts.misses += 1
            switch error {
            case .malformed: counts.malformed += 1
            case .foreign: counts.foreign += 1
            case .damaged: counts.damaged += 1
            case .notAuthentic: counts.notAuthentic += 1
            }
          }
        case .awaited:
          counts.misses += leasing ? 1 : 0
          let now = next.time.now
          if state.withLockedValue({ $0.leases.takeUp(family.key(block), now: now) }) { continue }
          awaited.insert(block)
        case .leased, .missing: counts.misses += leasing ? 1 : 0
        }
      }
      state.withLockedValue { $0.counts += counts }
      return awaited
    }

    /// Asks the engine, and goes on without an answer after `longest`, for what does not keep to its time.
    private nonisolated(nonsending) func ask(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration, atMost longest: Duration, _ next: ReadNext
    ) async -> [SharedBlockAnswer] {
      if isTimely { return await store.get(keys, lease: lease, within: limit) }
      if let answers = await store.get(keys, lease: lease, within: limit, leavingAfter: max(longest, limit), next) {
        return answers
      }
      if !Task.isCancelled { state.withLockedValue { $0.counts.late += keys.count } }
      return keys.map { _ in .missing }
    }
  }
#endif
