import RangeIO
import SystemPackage

// Segments that are not entered: those that go, and those of which nothing is known.

extension SpillOpening {
  /// Removes segments, given from the newest on. The oldest goes first, so that a tombstone exists for as long as the
  /// chunks it removes.
  func remove(_ numbers: [UInt64], _ counted: inout Counted) {
    var left = numbers
    do throws(Errno) {
      while let oldest = left.last {
        try syncNames(&counted)
        do throws(Errno) {
          try directory.remove(SpillFormat.segmentName(oldest))
        } catch {
          guard error == .noSuchFileOrDirectory else { throw error }
        }
        left.removeLast()
        counted.hasUnsyncedNames = configuration.syncsEvery != nil
        try syncNames(&counted)
      }
    } catch {
      // They stay, together with newer ones, and count.
      for number in left { leave(number, &counted) }
    }
  }

  /// What has gone stays away, also if the power goes.
  private func syncNames(_ counted: inout Counted) throws(Errno) {
    guard counted.hasUnsyncedNames else { return }
    try directory.sync()
    counted.hasUnsyncedNames = false
  }

  /// Removes segments that cannot be read for want of their keys, if their time is over, from the oldest on: those before a
  /// segment that stays.
  func removeOtherKeys(_ counted: inout Counted, before stays: UInt64) {
    guard !configuration.isReadOnly else { return }
    while let oldest = counted.unread.keys.min(), oldest < stays, counted.otherKeys[oldest] == true {
      do throws(Errno) {
        try syncNames(&counted)
        try directory.remove(SpillFormat.segmentName(oldest))
      } catch {
        // It is tried again at the next opening.
        return
      }
      counted.hasUnsyncedNames = configuration.syncsEvery != nil
      ledger.give(counted.unread.removeValue(forKey: oldest) ?? 0)
      counted.otherKeys[oldest] = nil
    }
  }

  /// Removes files of an older epoch, from the oldest on, if that epoch cannot come back with the power. Returns those that stay,
  /// with the bytes charged for them.
  ///
  /// - Parameter areValid: the directory still says so. Then none may go after one that stays.
  func removeOutdated(_ counted: inout Counted, areValid: Bool) -> [UInt64: Int] {
    var stay: [UInt64: Int] = [:]
    for number in counted.outdated.reversed() {
      let name = SpillFormat.segmentName(number)
      let mayGo = !counted.hasUnsyncedNames && (stay.isEmpty || !areValid)
      // `try?`, here and below: it is tried again when room is needed; what has no status takes no room that is known.
      if mayGo, (try? directory.remove(name)) != nil {
        counted.hasUnsyncedNames = areValid && configuration.syncsEvery != nil
        // `try?`: if it fails, the others stay.
        try? syncNames(&counted)
        continue
      }
      let charge = (try? directory.status(of: name)).map { SpillLedger.charge(of: $0) } ?? 0
      ledger.charge(charge)
      counted.lastNumber = max(counted.lastNumber, number)
      stay[number] = charge
    }
    return stay
  }

  /// `true` if a segment is of an older key, and the time is over that files of those are kept. One of the number that encrypts
  /// now stays, even if its key is not there.
  func isOutOfTime(_ header: SpillSegmentHeader) -> Bool {
    guard let encryption = configuration.encryption, let time = encryption.olderKeysLast,
      let key = header.encryption?.key, key != encryption.keys.current
    else { return false }
    // Not below 0: without the key, any time may have been written there.
    return configuration.wallClock() - max(0, header.created) > time.nanoseconds
  }

  /// `false` if a segment whose key is not there has removed nothing: the kind of a record is not masked. Only one that was read up to
  /// its footer tells so.
  func mayRemove(_ number: UInt64) -> Bool {
    let name = SpillFormat.segmentName(number)
    // `try?`: of what cannot be read, nothing is known.
    guard
      let file = try? files.withDescriptors({ () throws(Errno) in try directory.open(name, writing: false) }),
      let length = try? file.status().size, let (_, check) = try? SpillReader.header(of: file)
    else { return true }
    var reader = SpillReader(file, check: check, length: length, isEncrypted: true)
    // `try?`: as above.
    while case .record(let found) = try? reader.next() {
      switch found.record.kind {
      case .tombstone: return true
      case .footer: return false
      case .chunk, .source: break
      }
    }
    return true
  }

  /// Keeps a segment of which nothing is known. Its space counts. If it is readable the next time, its contents are
  /// older than what comes from now on.
  func leave(_ number: UInt64, _ counted: inout Counted) {
    // `try?`: what has no status takes no room that is known.
    let charge = (try? directory.status(of: SpillFormat.segmentName(number))).map { SpillLedger.charge(of: $0) } ?? 0
    ledger.charge(charge)
    counted.lastNumber = max(counted.lastNumber, number)
    counted.unread[number] = charge
  }
}
