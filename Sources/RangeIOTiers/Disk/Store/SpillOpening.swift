package import RangeIO
import SystemPackage

/// Creates a store from a directory: reads `store`, footers, and segments that were not sealed.
package struct SpillOpening {
  let configuration: SpillStore.Configuration
  let folder: SpillFolder
  let ledger: SpillLedger
  private let lanes: DiskLanes
  let files: SpillFiles
  var directory: any SpillDirectory { folder.directory }
  var context: ReadError.Context { folder.context }

  package init(_ configuration: DiskConfiguration, _ folder: SpillFolder, _ lanes: DiskLanes? = nil) {
    self.configuration = configuration
    self.lanes = lanes ?? DiskLanes(configuration.work)
    self.folder = folder
    ledger = SpillLedger(limit: configuration.limit.bytes)
    files = SpillFiles(
      folder.directory, on: folder.disk, isReadOnly: configuration.isReadOnly,
      most: configuration.maxOpenFiles ?? SpillFiles.usualMost, closing: self.lanes.writes)
  }

  /// A segment as its file describes it.
  package struct Contents {
    let segment: SpillSegment
    package var length: Int
    /// It ends with its own footer.
    package var isSealed = true
    package var footer: SpillFooter
    /// The number of damaged records known so far.
    package var damaged = 0
    /// Its key is an older one, and its time is over.
    var isOutOfTime = false
  }

  package struct Counted {
    var lastNumber: UInt64 = 0
    /// The last sequence of the segments that could be read.
    var lastSequence: UInt64 = 0
    /// The newest segment with a known sequence; a segment that was just created has none.
    var newestWithSequence: UInt64 = 0
    /// The segments that could not be read, by number, with the bytes charged for them.
    var unread: [UInt64: Int] = [:]
    /// Those of them that are encrypted with a key that is not there, and whether they say that they are of an older key whose
    /// time is over.
    package internal(set) var otherKeys: [UInt64: Bool] = [:]

    /// Nothing is wrong with a newer segment that could not be read, so what it has removed of older ones stays so.
    var lacksNewer = false
    /// Files of an older epoch.
    var outdated: [UInt64] = []
    /// The segments of which some bytes may not be on the disk, since they could not be written again.
    var lost: Set<UInt64> = []
    /// Names in the directory must be made durable.
    var hasUnsyncedNames = false

    package init() {}

    /// From here on, sequences are higher than all in the directory.
    ///
    /// The sequences of a segment rise by less than 2^32, and begin no higher than at the segment's number times that,
    /// however many segments were not read when it was created. So a segment that is not read now ends below the next
    /// multiple. Sequences of older segments are lower than those of the newest.
    var sequenceToGoOnFrom: UInt64 {
      guard let newest = unread.keys.max(), newest > newestWithSequence else { return lastSequence }
      return max(lastSequence + 1 << 32, min(newest + 1, 1 << 29) << 32)
    }

    mutating func count(_ footer: SpillFooter, of number: UInt64) {
      lastSequence = max(lastSequence, footer.lastSequence + 1)
      if footer.lastSequence > 0 { newestWithSequence = max(newestWithSequence, number) }
    }
  }

  /// Opens the directory, as long as a caller still waits for it. Waits for the disk.
  func open(_ sources: ChunkSources, isNeeded: () -> Bool = { true }) throws(ReadError) -> SpillStore {
    ledger.charge(SpillFormat.fixedBytes)
    let names = try folder.names().sorted()
    let known = try folder.readRoot()
    // Before anything is changed.
    try folder.refuseOtherVersions(names)
    try folder.sign(configuration.processNumber)
    // What the process before has renamed or removed could come back with the power, and what follows relies on it. `try?`: then
    // the first flush does it.
    let isSyncing = configuration.syncsEvery != nil && !configuration.isReadOnly
    var counted = Counted()
    counted.hasUnsyncedNames = isSyncing && (try? directory.sync()) == nil
    let (root, isRootWritten) = try root(known)
    let codecIdentity = configuration.codec.spilledIdentity
    var state = SpillState(
      stagingLimit: configuration.stagingBytes, rules: configuration.breaker,
      choosesCodec: configuration.codec is AutomaticCodec)
    state.ageLimit = configuration.ageLimit?.nanoseconds ?? .max
    if !configuration.isReadOnly { removeLeftovers(names) }
    let numbers = names.compactMap { SpillFormat.segmentNumber($0) }.sorted()
    // From the newest on: the first of several records of a block counts, and tombstones are known before the records
    // they remove.
    var removed: [Int: SpillRemovedBlocks] = [:]
    var overRead: [UInt64] = []
    var lookedAt: Set<UInt64> = []
    var isOverruled = false
    for number in numbers.reversed() {
      guard isNeeded() else { throw .cancelledOpening(context) }
      guard let contents = try read(number, root, &counted, isNeeded) else {
        // It goes with newer ones that go: they may have removed some of it.
        if !overRead.isEmpty, let charge = counted.unread.removeValue(forKey: number) {
          ledger.give(charge)
          counted.otherKeys[number] = nil
          overRead.append(number)
        }
        continue
      }
      // The limit may be lower than before, or the key is an old one. Then none of the older segments stays, so none needs its
      // tombstones.
      if !overRead.isEmpty || !configuration.isReadOnly && (ledger.bytes > ledger.limit || contents.isOutOfTime) {
        contents.segment.end()
        overRead.append(number)
        continue
      }
      // What a newer one without its key has removed is not known. When that key is there, this one is found again.
      for other in counted.otherKeys.keys where !isOverruled && lookedAt.insert(other).inserted {
        guard isNeeded() else { throw .cancelledOpening(context) }
        isOverruled = mayRemove(other)
      }
      if isOverruled || counted.lacksNewer {
        contents.segment.end()
        leave(number, &counted)
        continue
      }
      state.enter(contents, readingCodec: codecIdentity, &removed)
      state.counts.damaged += contents.damaged
    }
    state.outdated = removeOutdated(&counted, areValid: !isRootWritten)
    remove(overRead, &counted)
    removeOtherKeys(&counted, before: state.oldestSegment ?? .max)
    state.unread = counted.unread
    state.otherKeys = Set(counted.otherKeys.keys)
    state.lastRank = counted.lastNumber
    let core = SpillCore(
      configuration, codecIdentity: codecIdentity, directory: directory, ledger: ledger, files: files, lanes: lanes,
      state: state)
    let writer = SpillWriter(
      core, in: folder, root: root, isRootWritten: isRootWritten, lastSegment: counted.lastNumber,
      lastSequence: counted.sequenceToGoOnFrom, isFoundDurable: !isSyncing,
      hasUnsyncedNames: counted.hasUnsyncedNames, lost: isSyncing ? counted.lost : [])
    let reason: SpillStore.ReadOnlyReason? =
      configuration.isReadOnly
      ? .configured : root.refusesWhenFull && !configuration.refusesWhenFull ? .otherConfiguration : nil
    return SpillStore(core, sources: sources, writer: writer, readOnlyReason: reason)
  }

  /// The directory's `store`, or a new one. A new one makes all segments there invalid. Returns also whether it is on
  /// the disk. On a full disk it is written before the first segment.
  private func root(_ known: SpillRoot.Reading) throws(ReadError) -> (SpillRoot, isWritten: Bool) {
    switch known {
    // What is plain must not stay where it is to be encrypted, and could be of anybody. What is encrypted cannot be read.
    case .good(let root) where root.isEncrypted == (configuration.encryption != nil) || configuration.isReadOnly:
      return (root, true)
    case .good, .missing, .damaged:
      guard !configuration.isReadOnly else {
        throw ReadError(
          .notFound, "there is no cache directory, or it is damaged: open it for writing to make a new one",
          context: context)
      }
      let root = SpillRoot(
        directoryID: configuration.random(), epoch: 1, created: configuration.wallClock(),
        refusesWhenFull: configuration.refusesWhenFull, isEncrypted: configuration.encryption != nil)
      // If a file is in its way, that file is replaced; anything else is an error.
      do throws(Errno) {
        try SpillFolder.write(root, to: directory)
        return (root, true)
      } catch {
        guard SpillTrouble.failed(error).concernsWritesOnly else {
          throw .errno(error, "make the cache directory", context)
        }
        return (root, false)
      }
    }
  }

  /// Deletes what a crash left: unused private directories, and the next `store`.
  private func removeLeftovers(_ names: [String]) {
    for name in names where SpillFormat.isPrivateName(name) { folder.removePrivate(name) }
    if let shared = folder.shared.map({ SpillFolder($0, on: folder.disk, context) }) {
      // A directory in use is locked, including this one. `try?`: tried again at the next opening.
      for name in (try? shared.names()) ?? [] where SpillFormat.isPrivateName(name) { shared.removePrivate(name) }
    }
    if names.contains(SpillFolder.nextStoreName), folder.isOurs(SpillFolder.nextStoreName) {
      try? directory.remove(SpillFolder.nextStoreName)
    }
  }
}

extension ReadError {
  fileprivate static func cancelledOpening(_ context: ReadError.Context) -> ReadError {
    ReadError(.closed, "the opening was cancelled", context: context)
  }
}
