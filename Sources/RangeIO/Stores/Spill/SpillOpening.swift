import SystemPackage

/// Creates a store from a directory: reads `store`, footers, and segments that were not sealed.
struct SpillOpening {
  let configuration: SpillStore.Configuration
  let disk: any SpillDisk
  let folder: SpillFolder
  let ledger: SpillLedger
  let lanes: DiskLanes
  let files: SpillFiles
  private let context: ReadError.Context
  var directory: any SpillDirectory { folder.directory }

  init(
    _ configuration: SpillStore.Configuration, _ disk: any SpillDisk, _ folder: SpillFolder, _ lanes: DiskLanes? = nil
  ) {
    self.configuration = configuration
    self.lanes = lanes ?? DiskLanes(configuration.work)
    self.disk = disk
    self.folder = folder
    ledger = SpillLedger(limit: configuration.limit.bytes)
    files = SpillFiles(
      folder.directory, on: disk, isReadOnly: configuration.isReadOnly,
      most: configuration.mostOpenFiles ?? SpillFiles.usualMost, closing: self.lanes.writes)
    context = .init(source: configuration.directory)
  }

  /// What a segment says about itself.
  struct Contents {
    let segment: SpillSegment
    let length: Int
    /// Whether it ends with its own footer.
    var isSealed = true
    var footer: SpillFooter
    /// The number of damaged records known so far.
    var damaged = 0
  }

  /// Opens the directory. Waits for the disk.
  ///
  /// - Parameter isNeeded: whether a caller still waits for it.
  func open(_ sources: ChunkSources, isNeeded: () -> Bool = { true }) throws(ReadError) -> SpillStore {
    ledger.charge(SpillStore.fixedBytes)
    var names = try SpillFolder.attempt("list the spill directory", context) { () throws(Errno) in
      try directory.names()
    }
    names.sort()
    let known = try SpillFolder.readRoot(directory, on: disk, context)
    // Before anything is changed.
    try SpillFolder.refuseOtherVersions(names, in: directory, on: disk, context)
    try folder.sign(configuration, context)
    let (root, isRootWritten) = try root(known)
    var state = SpillState(stagingLimit: configuration.stagingBytes, rules: configuration.breaker)
    state.ageLimit = configuration.ageLimit?.nanoseconds ?? .max
    if !configuration.isReadOnly { removeLeftovers(names) }
    let numbers = names.compactMap { SpillFormat.segmentNumber($0) }.sorted()
    // From the newest on: the first of several records of a block counts, and tombstones are known before the records
    // they remove.
    var removed: [Int: SpillRemovedBlocks] = [:]
    var counted = Counted()
    var overRead: [UInt64] = []
    for number in numbers.reversed() {
      guard isNeeded() else { throw ReadError(.closed, "the opening was cancelled", context: context) }
      guard let contents = try read(number, root, &counted) else { continue }
      // The limit may be lower than before. Then none of the older segments stays, so none needs its tombstones.
      if !overRead.isEmpty || !configuration.isReadOnly && ledger.bytes > ledger.limit {
        contents.segment.end()
        overRead.append(number)
        continue
      }
      let place = state.add(
        .init(segment: contents.segment, rank: number, length: contents.length, isSealed: true))
      state.enter(contents.footer, of: place, &removed)
      state.counts.damaged += contents.damaged
    }
    remove(overRead, &counted)
    state.unread = counted.unread
    state.lastRank = counted.lastNumber
    let core = SpillCore(
      configuration, directory: directory, ledger: ledger, files: files, lanes: lanes, state: state)
    let writer = SpillWriter(
      core, in: folder, root: root, isRootWritten: isRootWritten, lastSegment: counted.lastNumber,
      lastSequence: counted.sequenceToGoOnFrom)
    let reason: SpillStore.ReadOnlyReason? =
      configuration.isReadOnly
      ? .configured : root.refusesWhenFull && !configuration.refusesWhenFull ? .otherConfiguration : nil
    return SpillStore(core, sources: sources, writer: writer, readOnlyReason: reason)
  }

  /// The directory's `store`, or a new one. A new one makes all segments there invalid.
  ///
  /// - Returns: also whether it is on the disk. On a full disk it is written before the first segment.
  private func root(_ known: SpillFolder.RootState) throws(ReadError) -> (SpillRoot, isWritten: Bool) {
    switch known {
    case .good(let root): return (root, true)
    case .missing, .damaged:
      guard !configuration.isReadOnly else {
        throw ReadError(
          .notFound, "there is no spill directory, or it is damaged: open it for writing to make a new one",
          context: context)
      }
      let root = SpillRoot(
        directoryID: configuration.random(), epoch: 1, created: configuration.wallClock(),
        refusesWhenFull: configuration.refusesWhenFull)
      // If a file is in its way, that file is replaced; anything else is an error.
      do throws(Errno) {
        try SpillFolder.write(root, to: directory)
        return (root, true)
      } catch {
        guard SpillTrouble.failed(error).concernsWritesOnly else {
          throw .errno(error, "make the spill directory", context)
        }
        return (root, false)
      }
    }
  }

  /// Deletes what a crash left: unused private directories, and the next `store`.
  private func removeLeftovers(_ names: [String]) {
    for name in names where SpillFormat.isPrivateName(name) {
      SpillFolder.removePrivate(name, below: directory, on: disk)
    }
    if let shared = folder.shared {
      // A directory in use is locked, including this one.
      for name in (try? shared.names()) ?? [] where SpillFormat.isPrivateName(name) {
        SpillFolder.removePrivate(name, below: shared, on: disk)
      }
    }
    if names.contains(SpillFolder.nextStoreName), isOurs(SpillFolder.nextStoreName) {
      try? directory.remove(SpillFolder.nextStoreName)
    }
  }

  private func isOurs(_ name: String) -> Bool {
    (try? directory.status(of: name)).map { SpillFolder.isOurs($0, on: disk) } ?? false
  }

  // MARK: segments

  /// Reads a segment; `nil` if it is not valid.
  func read(
    _ number: UInt64, _ root: SpillRoot, _ counted: inout Counted
  ) throws(ReadError) -> Contents? {
    let name = SpillFormat.segmentName(number)
    do throws(Errno) {
      // Checked before it is opened, since a file that belongs to others must not be opened.
      guard SpillFolder.isOurs(try directory.status(of: name), on: disk) else {
        if try isShared(number, root) { leave(number, &counted) }
        return nil
      }
      let file = try files.withDescriptors { () throws(Errno) in
        try directory.open(name, writing: !configuration.isReadOnly)
      }
      let status = try file.status()
      guard SpillFolder.isOurs(status, on: disk) else { return nil }
      guard let (header, check) = try SpillScan.header(of: file), header.number == number,
        header.directoryID == root.directoryID, header.epoch == root.epoch
      else {
        if !configuration.isReadOnly { try directory.remove(name) }
        return nil
      }
      counted.lastNumber = max(counted.lastNumber, number)
      let charge = SpillLedger.charge(of: status)
      ledger.charge(charge)
      let segment = SpillSegment(number: number, check: check, charge: charge, ledger: ledger, files: files)
      files.enter(file, number)
      do throws(Errno) {
        if let footer = try SpillScan.footer(of: file, length: status.size, check: check) {
          count(footer, of: number, &counted)
          return Contents(segment: segment, length: status.size, footer: footer)
        }
        return try seal(segment, file, status.size, &counted)
      } catch {
        segment.end()
        throw error
      }
    } catch {
      switch error {
      // Removed in between, or not a file.
      case .noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .isDirectory, .noSuchAddressOrDevice: return nil
      // One bad file does not keep the others from being read.
      case .ioError, .permissionDenied, .notPermitted, .tooManyOpenFiles, .tooManyOpenFilesInSystem:
        leave(number, &counted)
        return nil
      default: throw .errno(error, "read the spill directory", context)
      }
    }
  }

  /// Whether a segment of this directory can be written to by others, or has another name as well. Such a segment is
  /// not used, but its contents may be valid again later.
  private func isShared(_ number: UInt64, _ root: SpillRoot) throws(Errno) -> Bool {
    let name = SpillFormat.segmentName(number)
    let status = try directory.status(of: name)
    guard status.kind == .file, status.owner == disk.user else { return false }
    let file = try files.withDescriptors { () throws(Errno) in try directory.open(name, writing: false) }
    guard let (header, _) = try SpillScan.header(of: file) else { return false }
    return header.number == number && header.directoryID == root.directoryID && header.epoch == root.epoch
  }

  /// Gives a segment that was not sealed a footer with its valid records.
  private func seal(
    _ segment: SpillSegment, _ file: any SpillFile, _ length: Int, _ counted: inout Counted
  ) throws(Errno) -> Contents {
    let scan = try SpillScan(file, check: segment.check, length: length)
    count(scan.footer, of: segment.number, &counted)
    var contents = Contents(
      segment: segment, length: scan.end, isSealed: false, footer: scan.footer, damaged: scan.damaged)
    guard !configuration.isReadOnly else { return contents }
    let closing = scan.footer.closing(
      sequence: counted.lastSequence, at: scan.end, segmentCheck: segment.check)
    do throws(Errno) {
      // First cut off what follows, so that it can never look like a trailer.
      try file.truncate(scan.end)
      try file.writeAll(closing, at: scan.end)
      let length = scan.end + closing.count
      segment.recharge(SpillLedger.rounded(length))
      contents = Contents(segment: segment, length: length, footer: scan.footer, damaged: scan.damaged)
    } catch {
      // On a full disk the segment stays as it is, and is scanned again the next time.
      guard SpillTrouble.failed(error).concernsWritesOnly else { throw error }
    }
    return contents
  }
}

extension SpillFolder {
  static let fileNames = ["lock", storeName, nextStoreName, quotaName]
}

extension SpillState {
  /// Enters the contents of a segment, unless a newer segment says otherwise.
  ///
  /// - Parameter removed: the tombstones of newer segments, by the slots of sources. Those of this segment are added.
  mutating func enter(
    _ footer: SpillFooter, of place: UInt32, _ removed: inout [Int: SpillRemovedBlocks]
  ) {
    let number = places[Int(place)]!.segment.number
    // A source beyond the maximum is not known, so its records here are not found.
    let slots = footer.identities.map { sources.enter($0) }
    for (local, slot) in slots.enumerated() {
      guard let slot else { continue }
      places[Int(place)]!.locals[slot] = UInt32(local)
      sources[slot].newestSegment = max(sources[slot].newestSegment, number)
    }
    for tombstone in footer.tombstones {
      guard let slot = slots[Int(tombstone.source)] else { continue }
      removed[slot, default: SpillRemovedBlocks()].add(tombstone.blocks, bound: tombstone.bound)
      places[Int(place)]!.tombstones.append((slot, tombstone.blocks, tombstone.bound))
    }
    let removedHere = slots.map { slot -> SpillRemovedBlocks? in
      guard let slot else { return nil }
      removed[slot]?.prepare(forQuestions: footer.entries.count)
      return removed[slot]
    }
    for entry in footer.entries.reversed() {
      guard let slot = slots[Int(entry.source)], entry.block <= SpillTable.largestBlock, entry.lower == 0,
        Int(entry.count) == sources[slot].identity.count(ofBlock: Int(entry.block)), entry.stored <= entry.count,
        table.find(source: slot, block: Int(entry.block)) == 0
      else { continue }
      guard removedHere[Int(entry.source)]?.removes(entry.block, entry.sequence) != true else { continue }
      set(
        slot, Int(entry.block),
        SpillTable.Record(segment: place, offset: entry.offset, stored: entry.stored, fetchedAt: entry.fetchedAt))
    }
  }
}
