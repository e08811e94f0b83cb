import SystemPackage

/// Segments that are not entered: they are too many, or cannot be read.
extension SpillOpening {
  /// What is counted over all segments.
  struct Counted {
    var lastNumber: UInt64 = 0
    /// Of what could be read.
    var lastSequence: UInt64 = 0
    /// The newest of which a sequence is known: one that was just made has none.
    var newestWithSequence: UInt64 = 0
    /// Those that could not, by their numbers: what is charged for them.
    var unread: [UInt64: Int] = [:]

    /// Sequences from here on are higher than any that the directory has.
    ///
    /// Those of a segment rise by less than 2^32, and begin no higher than at its number times that, however many were
    /// not read when it was made: so a segment that is not read now ends below the next multiple. Those of older ones
    /// are lower than those of the newest.
    var sequenceToGoOnFrom: UInt64 {
      guard let newest = unread.keys.max(), newest > newestWithSequence else { return lastSequence }
      return max(lastSequence + 1 << 32, min(newest + 1, 1 << 29) << 32)
    }
  }

  /// A segment's footer is known.
  func count(_ footer: SpillFooter, of number: UInt64, _ counted: inout Counted) {
    counted.lastSequence = max(counted.lastSequence, footer.lastSequence + 1)
    if footer.lastSequence > 0 { counted.newestWithSequence = max(counted.newestWithSequence, number) }
  }

  /// Removes segments, the oldest first, so that what removes some of one is there for as long as it is.
  ///
  /// - Parameter numbers: from the newest on.
  func remove(_ numbers: [UInt64], _ counted: inout Counted) {
    var left = numbers
    do throws(Errno) {
      while let oldest = left.last {
        do throws(Errno) {
          try directory.remove(SpillFormat.segmentName(oldest))
        } catch {
          guard error == .noSuchFileOrDirectory else { throw error }
        }
        left.removeLast()
        if configuration.durability != .none { try directory.sync() }
      }
    } catch {
      // They stay, with those that are newer, and count.
      for number in left { leave(number, &counted) }
    }
  }

  /// A segment stays of which nothing is known. Its space counts, and what it holds is older than what comes, should it be
  /// readable the next time.
  func leave(_ number: UInt64, _ counted: inout Counted) {
    let charge = (try? directory.status(of: SpillFormat.segmentName(number))).map { SpillLedger.charge(of: $0) } ?? 0
    ledger.charge(charge)
    counted.lastNumber = max(counted.lastNumber, number)
    counted.unread[number] = charge
  }
}
