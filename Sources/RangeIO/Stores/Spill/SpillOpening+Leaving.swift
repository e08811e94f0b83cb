import SystemPackage

/// Segments that are not entered, because there are too many or they cannot be read.
extension SpillOpening {
  /// What is counted over all segments.
  struct Counted {
    var lastNumber: UInt64 = 0
    /// The last sequence of the segments that could be read.
    var lastSequence: UInt64 = 0
    /// The newest segment with a known sequence; a segment that was just created has none.
    var newestWithSequence: UInt64 = 0
    /// The segments that could not be read, by number, with the bytes charged for them.
    var unread: [UInt64: Int] = [:]

    /// From here on, sequences are higher than all in the directory.
    ///
    /// The sequences of a segment rise by less than 2^32, and begin no higher than at the segment's number times that,
    /// however many segments were not read when it was created. So a segment that is not read now ends below the next
    /// multiple. Sequences of older segments are lower than those of the newest.
    var sequenceToGoOnFrom: UInt64 {
      guard let newest = unread.keys.max(), newest > newestWithSequence else { return lastSequence }
      return max(lastSequence + 1 << 32, min(newest + 1, 1 << 29) << 32)
    }
  }

  /// Counts a segment whose footer is known.
  func count(_ footer: SpillFooter, of number: UInt64, _ counted: inout Counted) {
    counted.lastSequence = max(counted.lastSequence, footer.lastSequence + 1)
    if footer.lastSequence > 0 { counted.newestWithSequence = max(counted.newestWithSequence, number) }
  }

  /// Removes segments, the oldest first, so that a tombstone exists for as long as the chunks it removes.
  ///
  /// - Parameter numbers: starting with the newest.
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
        if configuration.syncsEvery != nil { try directory.sync() }
      }
    } catch {
      // They stay, together with newer ones, and count.
      for number in left { leave(number, &counted) }
    }
  }

  /// Keeps a segment of which nothing is known. Its space counts. If it is readable the next time, its contents are
  /// older than what comes from now on.
  func leave(_ number: UInt64, _ counted: inout Counted) {
    let charge = (try? directory.status(of: SpillFormat.segmentName(number))).map { SpillLedger.charge(of: $0) } ?? 0
    ledger.charge(charge)
    counted.lastNumber = max(counted.lastNumber, number)
    counted.unread[number] = charge
  }
}
