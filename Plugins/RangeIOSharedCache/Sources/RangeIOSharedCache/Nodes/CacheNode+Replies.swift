#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import RangeIO

  // What the replies to a batch mean for it and for the health of the node. On the event loop.

  extension CacheNode {
    /// - Parameter leased: the key, if a lease is wanted.
    func took(
      _ reply: NodeReply?, _ leased: (key: SharedBlockKey, lease: Duration)?, _ number: Int, _ batch: NodeBatch,
      _ handler: NodeHandler
    ) {
      guard let reply else { return batch.answer(number, nil) }
      batch.answered(at: Self.now)
      if let leased, case .missing = reply, settings.language == .redis, !batch.isFinished {
        return askForLease(leased.key, leased.lease, number, batch, handler)
      }
      if case .refused(let text) = reply { refused(text, batch) } else { tellHealth(of: batch) }
      count(reply)
      batch.answer(number, reply)
    }

    /// A whole answer to one of the commands has come.
    private func tellHealth(of batch: NodeBatch) {
      if batch.isFinished {
        health.late(after: batch.takeLateTime())
      } else if batch.missing == 1 {
        health.answered(after: batch.isOfReads ? batch.longestPause : nil)
      }
    }

    /// A node that refuses look-ups is as good as one that is down. One that takes no values still serves what it has.
    private func refused(_ text: String, _ batch: NodeBatch) {
      guard batch.isOfReads, !NodeNotes.isOfKey(text) else {
        notes.withLockedValue { $0.note(text) }
        return batch.isOfReads ? tellHealth(of: batch) : health.late(after: nil)
      }
      lastFault.withLockedValue { $0 = FaultText.of(refusal: text) }
      changeHealth { $0.refused(at: Self.now, random: .random(in: 0..<1)) }
    }

    /// Redis leases by a key of its own.
    private func askForLease(
      _ key: SharedBlockKey, _ lease: Duration, _ number: Int, _ batch: NodeBatch, _ handler: NodeHandler
    ) {
      var buffer = handler.buffer(for: 256)
      RESPCommands().lease(key, for: lease, into: &buffer)
      handler.send(
        buffer,
        [
          { [self] reply in
            let meaning: NodeReply? =
              switch reply {
              case .stored?: .leased
              case .missing?: .awaited
              default: nil
              }
            if case .refused(let text) = reply { notes.withLockedValue { $0.note(text) } }
            counts.withLockedValue { $0.misses += 1 }
            if reply != nil {
              batch.answered(at: Self.now)
              tellHealth(of: batch)
            }
            batch.answer(number, meaning)
          }
        ])
    }

    private func count(_ reply: NodeReply) {
      switch reply {
      case .value: counts.withLockedValue { $0.hits += 1 }
      case .leased, .awaited, .missing: counts.withLockedValue { $0.misses += 1 }
      case .stored:
        counts.withLockedValue { $0.stored += 1 }
        notes.withLockedValue { $0.stored() }
      case .refused: counts.withLockedValue { $0.refused += 1 }
      }
    }
  }
#endif
