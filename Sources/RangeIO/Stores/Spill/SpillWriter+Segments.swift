import SystemPackage

/// The segment that is being filled.
struct OpenSegment {
  let segment: SpillSegment
  /// Its file, which stays open while it is being written.
  let file: any SpillFile
  let place: UInt32
  /// The end of what is written.
  var position = SpillFormat.headerCount
  var footer = SpillFooter()
  /// The number of each source within the segment.
  var locals: [Int: UInt32] = [:]
  /// The current size of the footer, including its header and what follows it.
  var closingCount = emptyClosingCount
  static let emptyClosingCount = SpillFormat.recordHeaderCount + 32 + SpillFormat.trailerCount
}

/// The life of the open segment.
extension SpillWriter {
  func hasRoom(payload: Int, of slot: Int, beside reserved: Int = 0, _ store: SpillStore) -> Bool {
    guard let open else { return false }
    var needed = SpillFormat.recordCount(payload: payload) + SpillFooter.growth
    if open.locals[slot] == nil {
      let identity = SpillFormat.padded(store.state.withLock { $0.sources.entry(slot)?.identity.bytes.count ?? 0 })
      needed += SpillFormat.recordHeaderCount + identity + 8 + identity
    }
    return open.position + filled + gatheredBytes + needed + open.closingCount + reserved
      <= configuration.segmentBytes
  }

  /// Makes sure that a record with a payload of this size fits into the open segment.
  func makeRoom(payload: Int, of slot: Int, _ store: SpillStore) throws(Trouble) {
    // A chunk too large for an empty segment was already refused. Copied tombstones may take the room; then another
    // segment is created.
    for _ in 0..<4 {
      if hasRoom(payload: payload, of: slot, store) { return }
      try seal(store)
      let identity = store.state.withLock { $0.sources[slot].identity.bytes.count }
      let needed =
        SpillFormat.recordCount(payload: payload) + SpillFooter.growth + SpillFormat.recordCount(payload: identity) + 8
        + SpillFormat.padded(identity)
      reserved += needed
      defer { reserved -= needed }
      try makeSegment(store)
    }
    guard hasRoom(payload: payload, of: slot, store) else { throw .noRoom }
  }

  /// Ends the open segment with a footer.
  func seal(_ store: SpillStore) throws(Trouble) {
    guard open != nil else { return }
    try flush(store)
    guard let open else { return }
    let count = SpillFormat.recordHeaderCount + open.footer.byteCount + SpillFormat.trailerCount
    let length = open.position + count
    var memory = [UInt8](repeating: 0, count: count)
    memory.withUnsafeMutableBytes {
      SpillWriter.writeClosing(open.footer, sequence: lastSequence + 1, at: open.position, open.segment.check, to: $0)
    }
    lastSequence += 1
    do throws(Errno) {
      goOn(store)
      try open.file.writeAll(memory, at: open.position)
      goOn(store)
      try open.file.truncate(length)
      if configuration.durability != .none {
        takeTime(store)
        try open.file.sync()
        goOn(store)
      }
    } catch {
      throw .failed(error)
    }
    open.segment.recharge(SpillLedger.rounded(length))
    store.state.withLock { state in
      state.counts.fileBytes += count
      state.places[Int(open.place)]!.isSealed = true
      state.places[Int(open.place)]!.length = length
    }
    self.open = nil
  }

  /// Writes a footer, followed by the trailer.
  ///
  /// - Parameter bytes: zeroed.
  static func writeClosing(
    _ footer: SpillFooter, sequence: UInt64, at position: Int, _ check: UInt32, to bytes: UnsafeMutableRawBufferPointer
  ) {
    let payload = bytes.part(SpillFormat.recordHeaderCount, footer.byteCount)
    footer.write(to: payload)
    var record = SpillRecord(.footer)
    record.block = UInt64(footer.entries.count)
    record.sequence = sequence
    record.stored = UInt32(payload.count)
    record.payloadCheck = CRC32C.of(UnsafeRawBufferPointer(payload))
    record.write(to: bytes.part(0, SpillFormat.recordHeaderCount), segmentCheck: check)
    SpillTrailer.write(
      footerAt: position, length: position + bytes.count, segmentCheck: check,
      to: bytes.part(bytes.count - SpillFormat.trailerCount, SpillFormat.trailerCount))
  }

  /// Gives up the open segment. What was written can still be found; nothing is added.
  func abandon(_ store: SpillStore) {
    pending = []
    emptyBuffer()
    guard let open else { return }
    store.state.withLock { state in
      guard state.places.indices.contains(Int(open.place)), state.places[Int(open.place)] != nil else { return }
      state.places[Int(open.place)]!.isSealed = true
      // Some of what was to be written may be in the file: the next opening finds it, unless tombstones say otherwise.
      for (slot, local) in open.locals { state.places[Int(open.place)]!.locals[slot] = local }
    }
    if configuration.durability != .none { unsyncedFiles.append(open.file) }
    self.open = nil
  }

  /// Creates the next segment, and makes room for the one after it.
  func makeSegment(_ store: SpillStore) throws(Trouble) {
    let size = configuration.segmentBytes
    try takeSpace(size, store)
    guard try openSegment(size, store) else { return }
    try tidy(store)
    guard dropsOldest else { return }
    // Room for one segment is kept free, so that copied records have somewhere to go.
    while ledger.bytes > ledger.limit - size {
      guard try drainSegment(copying: true, store) else { break }
    }
  }

  /// Opens a segment for which space was taken. Holds a turn until the file exists, so that two processes do not take
  /// the same room. What follows may take long; other processes can create their segments at the same time.
  ///
  /// - Returns: false if there is already an open one.
  private func openSegment(_ size: Int, _ store: SpillStore) throws(Trouble) -> Bool {
    let turn = try shareSpace(size, store)
    defer { withExtendedLifetime(turn) {} }
    // Making room may have copied tombstones to a new segment: then that is the open one.
    guard open == nil else {
      ledger.give(size)
      return false
    }
    do throws(Errno) {
      try writeRoot(store)
      open = try createSegment(size, store)
      return true
    } catch {
      ledger.give(size)
      throw .failed(error)
    }
  }

  /// Writes `store` if it is not written yet: without it no segment is valid.
  private func writeRoot(_ store: SpillStore) throws(Errno) {
    guard !isRootWritten else { return }
    goOn(store)
    try files.withDescriptors { () throws(Errno) in try SpillFolder.write(root, to: directory) }
    isRootWritten = true
  }

  private func createSegment(_ size: Int, _ store: SpillStore) throws(Errno) -> OpenSegment {
    var file: (any SpillFile)?
    while file == nil {
      lastSegment += 1
      goOn(store)
      do throws(Errno) {
        let name = SpillFormat.segmentName(lastSegment)
        file = try files.withDescriptors { () throws(Errno) in try directory.create(name) }
      } catch .fileExists {
        // The file of another process: not touched.
      }
    }
    let name = SpillFormat.segmentName(lastSegment)
    let header = SpillSegmentHeader(
      directoryID: root.directoryID, epoch: root.epoch, number: lastSegment, created: configuration.wallClock())
    var memory = [UInt8](repeating: 0, count: SpillFormat.headerCount)
    let check = memory.withUnsafeMutableBytes { header.write(to: $0) }
    do throws(Errno) {
      goOn(store)
      try file!.allocate(size)
      try file!.writeAll(memory, at: 0)
    } catch {
      try? directory.remove(name)
      throw error
    }
    hasUnsyncedNames = true
    let segment = SpillSegment(number: lastSegment, check: check, charge: size, ledger: ledger, files: files)
    files.enter(file!, lastSegment)
    let place = store.state.withLock { state in
      state.counts.segmentsMade += 1
      state.counts.fileBytes += memory.count
      state.lastRank += 1
      return state.add(.init(segment: segment, rank: state.lastRank, length: size))
    }
    return OpenSegment(segment: segment, file: file!, place: place)
  }
}

extension SpillFile {
  /// Writes an array.
  func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, Errno> in
      Result { () throws(Errno) in try write([buffer], at: offset) }
    }
    try result.get()
  }
}
