import SystemPackage

/// What reading all of a spill directory found.
package struct SpillVerification: Sendable {
  /// Bytes that are not what they should be.
  package struct Damage: Equatable, Sendable {
    /// `nil`: the file `store`.
    package let segment: UInt64?
    /// Where in the file the record begins, or what cannot be told to be one.
    package let offset: Int
    /// What is wrong.
    package let reason: String
  }

  package var segments = 0
  /// Of these: complete, with a footer.
  package var sealedSegments = 0
  /// Segments of another epoch or directory, which the next process deletes that opens this one for writing.
  package var leftovers = 0
  /// Records that were believed, of all kinds.
  package var records = 0
  package var chunks = 0
  package var tombstones = 0
  /// Chunks of codecs that are not known here, of which only the sums were compared.
  package var unknownCodecs = 0
  /// Bytes of believed records, with headers.
  package var recordBytes = 0
  /// Payloads of chunks.
  package var storedBytes = 0
  /// What they decoded to, or say that they would.
  package var decodedBytes = 0
  /// Ends of segments that were not finished: being written, or left by a process that was killed. Not damage: nothing
  /// there was ever found.
  package var unfinished = 0
  /// Places that are damaged.
  package var damaged = 0
  /// The first ``mostDamages`` of them.
  package var damages: [Damage] = []

  package static let mostDamages = 1000

  /// Adds what was found in one segment.
  mutating func add(_ segment: SpillVerification) {
    segments += segment.segments
    sealedSegments += segment.sealedSegments
    leftovers += segment.leftovers
    records += segment.records
    chunks += segment.chunks
    tombstones += segment.tombstones
    unknownCodecs += segment.unknownCodecs
    recordBytes += segment.recordBytes
    storedBytes += segment.storedBytes
    decodedBytes += segment.decodedBytes
    unfinished += segment.unfinished
    damaged += segment.damaged
    damages += segment.damages.prefix(Self.mostDamages - damages.count)
  }

  mutating func add(_ damage: Damage) {
    damaged += 1
    if damages.count < Self.mostDamages { damages.append(damage) }
  }
}

extension SpillInspection {
  /// Reads every record of every segment, compares all sums, and decodes what is encoded with one of this library's
  /// codecs.
  ///
  /// A process that uses the directory may be writing a segment while it is read, sealing it, or letting go of it. So a
  /// segment that seems to be damaged is read again, and what one look finds and the next does not was no damage.
  ///
  /// - Parameter progress: hears of the bytes that were read for the first time, of ``byteCount()`` in all.
  /// - Throws: what `progress` throws; `ReadError` if the directory cannot be listed, or another version of this library
  ///   has written a segment.
  /// - Complexity: reads everything, once, and segments that seem to be damaged again, up to ``mostLooks`` times; takes some megabytes of memory, however much there is.
  package func verify(progress: (Int) throws -> Void = { _ in }) throws -> SpillVerification {
    var found = SpillVerification()
    if expected == nil {
      found.add(
        .init(segment: nil, offset: 0, reason: root == .missing ? "the file is missing" : "the file is damaged"))
    }
    for number in try segments().numbers {
      // Gone meanwhile, or not one of ours.
      guard let status = status(of: number) else { continue }
      var told = 0
      var looked = try look(at: number) { place in
        try progress(place - told)
        told = place
      }
      try progress(max(0, status.size - told))
      var looks = 1
      while let last = looked, last.damaged > 0, looks < Self.mostLooks {
        looks += 1
        looked = try look(at: number) { _ in try progress(0) }
        // Nobody changes it any more.
        if looked?.damages == last.damages { break }
      }
      if let looked { found.add(looked) }
    }
    return found
  }

  /// Looks at a segment that seems to be damaged, until two looks in a row agree: each process that writes it makes a look
  /// see more than the one before, and ends with it some time.
  static let mostLooks = 8

  /// Reads one segment.
  ///
  /// - Parameter progress: hears up to where it was read.
  /// - Returns: `nil` if it is gone.
  private func look(at number: UInt64, progress: (Int) throws -> Void) throws -> SpillVerification? {
    var found = SpillVerification()
    var place = 0
    do {
      guard let file = open(number) else { return nil }
      var walk = try SpillWalk(number, file, length: try file.status().size, of: expected)
      while try walk.step(&found) {
        place = walk.place
        try progress(place)
      }
    } catch let error as Errno {
      found.add(
        .init(segment: number, offset: place, reason: "it cannot be read: \(error.description.lowercased())"))
    }
    return found
  }

  private func open(_ number: UInt64) -> (any SpillFile)? {
    try? directory.open(SpillFormat.segmentName(number), writing: false)
  }
}
