/// The models of a store's other sizes, and the sampled reads that wait to be shown to them.
///
/// Reads wait with the group of their thread and are shown many at a time: the models' memory then goes from processor to processor
/// once for many reads, not with each. A thread that finds the lock taken drops its reads: waiting would cost more than
/// a sample is worth.
final class SharedModels: Sendable {
  private struct Read {
    let key: UInt64
    /// Zero if the store does not keep what was read.
    let weight: Int
  }

  private static let maxWaiting = 64
  private let models: Locked<SizeModels>
  private let waiting = ThreadGroups<[Read]>([])

  init(_ models: consuming sending SizeModels) { self.models = Locked(models) }

  /// A sampled key was read.
  ///
  /// - Parameter weight: zero if the store has nothing of it and does not keep it.
  func note(_ key: UInt64, weight: Int) {
    waiting.withOwnIfFree { reads in
      reads.append(Read(key: key, weight: weight))
      guard reads.count == Self.maxWaiting else { return }
      models.withLockIfFree { for read in reads { $0.note(read.key, read.weight) } }
      reads.removeAll(keepingCapacity: true)
    }
  }

  func setCapacity(_ capacity: Int) { models.withLock { $0.setCapacity(capacity) } }

  /// As ``SizeModels/hitRatios(_:)``, after all reads that wait.
  func hitRatios(_ hitRatio: Double) -> [Double] {
    let waiting = waiting.replaceAll(by: [])
    return models.withLock { models in
      for reads in waiting { for read in reads { models.note(read.key, read.weight) } }
      return models.hitRatios(hitRatio)
    }
  }
}

extension SizeModels {
  fileprivate mutating func note(_ key: UInt64, _ weight: Int) {
    if weight > 0 { access(key, weight: weight) } else { accessWithoutStoring(key) }
  }
}
