package import RangeIO
import SystemPackage

// Reading a segment, and giving a footer to one that has none.

extension SpillOpening {
  /// Reads a segment; `nil` if it is not valid.
  package func read(
    _ number: UInt64, _ root: SpillRoot, _ counted: inout Counted, _ isNeeded: () -> Bool = { true }
  ) throws(ReadError) -> Contents? {
    let name = SpillFormat.segmentName(number)
    do throws(Errno) {
      // Checked before it is opened, since a file that belongs to others must not be opened.
      guard folder.disk.owns(try directory.status(of: name)) else {
        if try isLinked(number, root) {
          leave(number, &counted)
          counted.lacksNewer = true
        }
        return nil
      }
      let file = try files.withDescriptors { () throws(Errno) in
        try directory.open(name, writing: !configuration.isReadOnly)
      }
      let status = try file.status()
      guard folder.disk.owns(status) else {
        if try isGone(file) { counted.lacksNewer = true }
        return nil
      }
      guard folder.disk.trusts(status), let (header, check) = try SpillReader.header(of: file),
        header.isSegment(number, of: root), (header.encryption != nil) == root.isEncrypted
      else {
        if try isGone(file) { counted.lacksNewer = true }
        // Only if its contents say that it is one of ours: another program may use such a name.
        if !configuration.isReadOnly, folder.isOurs(name) { counted.outdated.append(number) }
        return nil
      }
      counted.lastNumber = max(counted.lastNumber, number)
      let cipher = configuration.encryption.flatMap { SpillCipher(header, $0) }
      guard (cipher != nil) == (root.isEncrypted || configuration.encryption != nil) else {
        leave(number, &counted)
        if root.isEncrypted { counted.otherKeys[number] = isOutOfTime(header) }
        return nil
      }
      let charge = SpillLedger.charge(of: status)
      ledger.charge(charge)
      let segment = SpillSegment(
        number: number, check: check, codec: header.codec, cipher, charge: charge, ledger: ledger, files: files)
      files.enter(file, number)
      do throws(Errno) {
        var contents: Contents
        if let footer = try SpillReader(file, check: check, cipher, length: status.size).footer() {
          counted.count(footer, of: number)
          contents = Contents(segment: segment, length: status.size, footer: footer)
        } else {
          contents = try seal(segment, file, status.size, &counted, isNeeded)
        }
        guard try !isGone(file) else {
          // Some of it may have been cut off before it was read.
          segment.end()
          counted.lacksNewer = true
          return nil
        }
        contents.isOutOfTime = isOutOfTime(header)
        return contents
      } catch {
        segment.end()
        throw error
      }
    } catch {
      switch error {
      case .noSuchFileOrDirectory:
        // Another process writes, and has removed it in between. A file that is newer than the list may have its tombstones.
        if configuration.isReadOnly { counted.lacksNewer = true }
        return nil
      // Not a file.
      case .tooManySymbolicLinkLevels, .isDirectory, .noSuchAddressOrDevice: return nil
      // One bad file does not keep the others from being read.
      case .ioError, .permissionDenied, .notPermitted, .tooManyOpenFiles, .tooManyOpenFilesInSystem:
        if error != .ioError { counted.lacksNewer = true }
        leave(number, &counted)
        return nil
      default: throw .errno(error, "read the cache directory", context)
      }
    }
  }

  /// Another process, which writes, has removed a file that is read here. What that had removed of older files is now in one that may
  /// be newer than the list.
  private func isGone(_ file: any SpillFile) throws(Errno) -> Bool {
    guard configuration.isReadOnly else { return false }
    return try file.status().linkCount == 0
  }

  /// `true` if this directory's segment has another name as well. It is not used, but may be valid again later.
  private func isLinked(_ number: UInt64, _ root: SpillRoot) throws(Errno) -> Bool {
    let name = SpillFormat.segmentName(number)
    let status = try directory.status(of: name)
    guard status.kind == .file, status.owner == folder.disk.user else { return false }
    let file = try files.withDescriptors { () throws(Errno) in try directory.open(name, writing: false) }
    return try SpillReader.header(of: file)?.header.isSegment(number, of: root) == true
  }

  /// Gives a segment that was not sealed a footer with its valid records.
  private func seal(
    _ segment: SpillSegment, _ file: any SpillFile, _ length: Int, _ counted: inout Counted, _ isNeeded: () -> Bool
  ) throws(Errno) -> Contents {
    var reader = SpillReader(file, check: segment.check, segment.cipher, length: length)
    let scan = try reader.scan()
    counted.count(scan.footer, of: segment.number)
    var contents = Contents(
      segment: segment, length: scan.end, isSealed: false, footer: scan.footer, damaged: scan.damaged)
    guard !configuration.isReadOnly else { return contents }
    do throws(Errno) {
      // First cut off what follows, so that it can never look like a trailer.
      try file.truncate(scan.end)
      try writeAgain(file, upTo: scan.end, isNeeded)
    } catch {
      counted.lost.insert(segment.number)
      return contents
    }
    let closing = scan.footer.closing(
      sequence: counted.lastSequence, at: scan.end, segmentCheck: segment.check, segment.cipher)
    // Its key has gone in between: it is scanned again the next time.
    guard let closing else { return contents }
    do throws(Errno) {
      try file.writeAll(closing, at: scan.end)
      contents.length += closing.count
      contents.isSealed = true
      segment.recharge(SpillLedger.rounded(contents.length))
    } catch {
      // It stays as it is, on a full disk for example, and is scanned again the next time. What was read counts: it may have
      // removed blocks of older files.
    }
    return contents
  }

  /// Writes the bytes of a file once more, in their places. If the kernel could not write some of them for the process before, it has
  /// told that process, and shows them from memory as if they were on the disk; a sync would not write them.
  ///
  /// Throws if the opening is cancelled meanwhile.
  ///
  /// - Source: "PostgreSQL's fsync() surprise", LWN, 2018.
  private func writeAgain(_ file: any SpillFile, upTo end: Int, _ isNeeded: () -> Bool) throws(Errno) {
    var memory = [UInt8](repeating: 0, count: min(end, 1 << 20))
    var offset = 0
    while offset < end {
      guard isNeeded() else { throw .canceled }
      let size = min(memory.count, end - offset)
      let result = memory.withUnsafeMutableBytes { bytes in
        Result { () throws(Errno) in try file.read(into: .init(rebasing: bytes[..<size]), at: offset) }
      }
      let count = try result.get()
      guard count > 0 else { return }
      try file.writeAll(Array(memory[..<count]), at: offset)
      offset += count
    }
  }
}
