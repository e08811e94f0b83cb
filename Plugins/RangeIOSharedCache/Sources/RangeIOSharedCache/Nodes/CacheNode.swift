#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import NIOCore
  internal import RangeIO
  internal import RangeIOSupport

  /// One node, and the connections to it. Everything but ``perform(_:worth:)`` happens on one event loop.
  final class CacheNode: @unchecked Sendable {
    // Unchecked: `loop` alone touches the variables.

    struct Settings: Sendable {
      var language: SharedCacheNodes.Language
      var login: NodeLogin?
      var tls: TLSBeginning?
      var connections: Int
      var valueLimit: Int
      var connectTimeout: TimeAmount
    }

    /// The counts of commands by their outcome, and of outages.
    struct Counts: Sendable {
      var hits = 0
      var misses = 0
      var stored = 0
      var refused = 0
      var late = 0
      var skipped = 0
      var outages = 0
    }

    struct Line {
      let handler: NodeHandler
      var writer: any CommandWriter
    }

    let address: SharedCacheNode
    let loop: any EventLoop
    let settings: Settings
    var lines: [Line] = []
    var connecting = 0
    /// The new connection, which is asked if it wants a login.
    var greeted: NodeHandler?
    /// Until then no further connection is made, because the last one failed.
    var nextFurther: Int64 = 0
    var health = NodeHealth()
    let counts = NIOLockedValueBox(Counts())
    /// Why it was last given up.
    let lastFault = NIOLockedValueBox<String?>(nil)
    let notes = NIOLockedValueBox(NodeNotes())
    var isClosed = false
    /// The batches that wait for a connection.
    var queued: [NodeBatch] = []
    var isProbeQueued = false
    /// The most commands under way; more are misses at once.
    private static let maxWaiting = 4096
    /// A connection that is silent for so long, in nanoseconds, while it owes replies, is given up.
    private static let maxSilence: Int64 = 1_000_000_000
    /// One that sends something now and then is given up when so long no reply was whole.
    private static let maxReply: Int64 = 3_000_000_000

    init(_ address: SharedCacheNode, _ settings: Settings, on loop: any EventLoop) {
      self.address = address
      self.settings = settings
      self.loop = loop
    }

    // MARK: from any thread

    /// Sends commands. Returns their replies in their order: `nil` for replies that did not come in time, or before the
    /// task was cancelled.
    ///
    /// - Parameter worth: the time that an answer is worth; `nil` for putting values, for which nothing waits.
    nonisolated(nonsending) func perform(_ commands: [Command], worth: Duration?) async -> [NodeReply?] {
      // Through a lock: the thread sanitizer does not see what a continuation hands over.
      let answer = NIOLockedValueBox<[NodeReply?]>([])
      let asked = AskedBatch()
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          loop.execute { [self] in
            let batch = NodeBatch(commands, isOfReads: worth != nil) { replies in
              answer.withLockedValue { $0 = replies }
              continuation.resume()
            }
            if asked.begins(batch) { start(batch, worth) }
          }
        }
      } onCancel: {
        loop.execute { asked.cancel() }
      }
      return answer.withLockedValue { $0 }
    }

    /// The counts so far, under the node's name.
    func statistics() -> Counters {
      let counts = counts.withLockedValue { $0 }
      return Counters(
        "\(address.name)",
        counts: [
          "hits": counts.hits, "misses": counts.misses, "stored": counts.stored,
          "refused": counts.refused, "late": counts.late, "not asked": counts.skipped,
          "outages": counts.outages,
        ])
    }

    /// Asks the node for keys that nothing else has, and puts a byte. Returns why it cannot be used, or is not as it should
    /// be; `nil` if nothing is wrong.
    nonisolated(nonsending) func fault(within limit: Duration) async -> String? {
      // Several: of a cluster, each node has some.
      let keys = (0..<16 as Range<UInt8>).map { SharedBlockKey(digest: [UInt8](repeating: 0, count: 31) + [$0]) }
      // One alone first: a memcached that wants a login answers one command of several that come together.
      for some in [keys.prefix(1), keys.dropFirst()] {
        for reply in await perform(some.map { .get($0, lease: nil) }, worth: limit) {
          switch reply {
          case .value, .leased, .awaited, .missing, .stored: break
          case .refused(let text): return FaultText.of(refusal: text)
          case nil: return lastFault.withLockedValue { $0 } ?? "it does not answer"
          }
        }
      }
      _ = await perform([.set(keys[0], Bytes([0]), lifetime: .seconds(1))], worth: nil)
      return notes.withLockedValue { $0.text }
    }

    /// Ends all connections. What is under way is answered as missing.
    nonisolated(nonsending) func close() async {
      await withCheckedContinuation { continuation in endLater { continuation.resume() } }
    }

    /// The same, without waiting.
    func endLater(_ ended: @escaping @Sendable () -> Void = {}) {
      loop.execute { [self] in
        isClosed = true
        for line in lines { line.handler.end() }
        lines = []
        greeted?.end()
        runQueued()
        ended()
      }
    }

    // MARK: on the event loop

    private func start(_ batch: NodeBatch, _ worth: Duration?) {
      let now = Self.now
      guard !isClosed, batch.missing > 0, lines.allSatisfy({ $0.handler.waitingCount < Self.maxWaiting }) else {
        return skip(batch)
      }
      switch health.admits(batch.isOfReads, at: now) {
      case .ask: break
      case .skip: return skip(batch)
      case .probe:
        skip(batch)
        return probe()
      }
      if let worth {
        let worth = min(worth.wholeNanoseconds, NodeHealth.maxWorth)
        batch.limit = health.limit(worth: worth)
        batch.maxTime = NodeBatch.maxTime(for: batch.missing, worth: worth)
      }
      batch.due = now + batch.limit
      watch(batch)
      connectIfNeeded()
      // Some connections fail at once, those to a socket of this machine.
      guard lines.isEmpty, connecting > 0 else { return send(batch) }
      queued.removeAll { $0.isFinished }
      queued.append(batch)
    }

    private func skip(_ batch: NodeBatch) {
      counts.withLockedValue { $0.skipped += batch.missing }
      batch.finish()
    }

    /// Passes on what a batch has when nothing more has come for its limit, or its longest time is over.
    private func watch(_ batch: NodeBatch) {
      batch.timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(max(0, batch.due - Self.now))) { [self] in
        guard !batch.isFinished else { return }
        guard Self.now >= batch.due else { return watch(batch) }
        counts.withLockedValue { $0.late += batch.missing }
        lastFault.withLockedValue { $0 = "it does not answer in time" }
        // A node that is at what it was asked before is not to blame.
        let isBehindOthers = batch.handler.map { handler in
          let lastReply = Int64(handler.lastReply.uptimeNanoseconds)
          return batch.isBehindOthers(lastReply: lastReply, replyCount: handler.replyCount, at: Self.now)
        }
        if isBehindOthers != true { failed(isSilent: batch.isSilent) }
        if let handler = batch.handler { giveUpIfSilent(handler) }
        batch.finish()
      }
    }

    /// Ends a connection that stays silent for so long that its node does not come back soon.
    func giveUpIfSilent(_ handler: NodeHandler) {
      guard !handler.isWatched else { return }
      handler.isWatched = true
      let due = handler.lastSign + .nanoseconds(Self.maxSilence)
      loop.assumeIsolated().scheduleTask(deadline: due) { [self] in
        handler.isWatched = false
        guard handler.waitingCount > 0 else { return }
        let now = NIODeadline.now()
        if now - handler.lastSign >= .nanoseconds(Self.maxSilence) {
          handler.end(ProtocolFault("it takes commands and is silent: is it stopped, or overloaded?"))
        } else if now - handler.lastReply >= .nanoseconds(Self.maxReply) {
          handler.end(ProtocolFault("it does not come to the end of an answer"))
        } else {
          giveUpIfSilent(handler)
        }
      }
    }

    /// Asks whether the node is there again, while nothing waits for that.
    func probe() {
      connectIfNeeded()
      guard var line = lines.first else {
        isProbeQueued = connecting > 0
        return
      }
      var buffer = line.handler.buffer(for: 32)
      line.writer.probe(into: &buffer)
      update(line)
      line.handler.send(
        buffer,
        [
          { [self] reply in
            switch reply {
            case nil: lost()
            case .refused(let text):
              lastFault.withLockedValue { $0 = FaultText.of(refusal: text) }
              lost()
            default: health.probeAnswered()
            }
          }
        ])
      giveUpIfSilent(line.handler)
    }

    func send(_ batch: NodeBatch) {
      guard !batch.isFinished else { return }
      guard var line = lines.min(by: { $0.handler.waitingCount < $1.handler.waitingCount }) else {
        return batch.finish()
      }
      var buffer = line.handler.buffer(for: batch.commands.reduce(0) { $0 + $1.byteCount })
      var answered: [NodeHandler.Answered] = []
      for (number, command) in batch.commands.enumerated() {
        switch command {
        case .get(let key, let lease): line.writer.get(key, lease: lease, into: &buffer)
        case .set(let key, let value, let lifetime): line.writer.set(key, value, lifetime: lifetime, into: &buffer)
        }
        let leased = command.leased
        answered.append { [self, handler = line.handler] in took($0, leased, number, batch, handler) }
      }
      update(line)
      batch.sent(at: Self.now, on: line.handler)
      line.handler.send(buffer, answered)
    }

    private func failed(isSilent: Bool) {
      changeHealth { $0.failed(isSilent: isSilent, at: Self.now, random: .random(in: 0..<1)) }
    }

    func lost() { changeHealth { $0.lost(at: Self.now, random: .random(in: 0..<1)) } }

    func changeHealth(_ change: (inout NodeHealth) -> Void) {
      let wasUp = health.isUp
      change(&health)
      if wasUp, !health.isUp { counts.withLockedValue { $0.outages += 1 } }
    }

    private func update(_ line: Line) {
      for number in lines.indices where lines[number].handler === line.handler { lines[number].writer = line.writer }
    }

    static var now: Int64 { NodeBatch.now }
  }
#endif
