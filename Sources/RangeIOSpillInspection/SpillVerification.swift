import RangeIO
import RangeIOTiers
import SystemPackage

/// The result of reading all of a spill directory.
package struct SpillVerification: Sendable {
  /// Bytes that are not what they should be.
  package struct Damage: Equatable, Sendable {
    /// The number of the segment; `nil` for the file `store`.
    package let segment: UInt64?
    /// Where in the file the record begins, or the bytes that are no valid record.
    package let offset: Int
    /// The fault in words.
    package let reason: String
  }

  package var segments = 0
  /// The part of the segments that is complete, with a footer.
  package var sealedSegments = 0
  /// Segments of another epoch or directory. The next process that opens this directory for writing deletes them.
  package var leftovers = 0
  /// Segments that are encrypted: only the sums of their records were compared.
  package var encryptedSegments = 0
  /// The number of valid records of all kinds.
  package var records = 0
  package var chunks = 0
  package var tombstones = 0
  /// Chunks with an unknown codec. Only their checksums were compared.
  package var unknownCodecs = 0
  /// The size of valid records, including headers.
  package var recordBytes = 0
  /// The size of the chunks' payloads.
  package var storedBytes = 0
  /// The size of the chunks after decoding, or the size they claim to have.
  package var decodedBytes = 0
  /// Segments with an unfinished end: being written, or left by a process that was killed. This is not damage: nothing
  /// there could ever be found.
  package var unfinished = 0
  /// The number of damaged places.
  package var damaged = 0
  /// The first ``maxDamages`` of them.
  package var damages: [Damage] = []

  package static let maxDamages = 1000

  mutating func add(_ segment: SpillVerification) {
    let counts: [WritableKeyPath<SpillVerification, Int>] = [
      \.segments, \.sealedSegments, \.encryptedSegments, \.leftovers, \.records, \.chunks, \.tombstones,
      \.unknownCodecs, \.recordBytes,
      \.storedBytes, \.decodedBytes, \.unfinished, \.damaged,
    ]
    for count in counts { self[keyPath: count] += segment[keyPath: count] }
    damages += segment.damages.prefix(Self.maxDamages - damages.count)
  }

  mutating func add(_ damage: Damage) {
    damaged += 1
    if damages.count < Self.maxDamages { damages.append(damage) }
  }
}

extension SpillInspection {
  /// Reads every record of every segment, compares all checksums, and decodes what is encoded with one of this
  /// library's codecs.
  ///
  /// A process that uses the directory may write, seal or remove a segment at the same time. So a segment that seems
  /// damaged is read again. If one read finds a fault and the next does not, it was no damage.
  ///
  /// - Parameter progress: receives the bytes read for the first time since the last call, ``byteCount()`` in total.
  /// - Throws: what `progress` throws; `ReadError` if the directory cannot be listed, or another version of this
  ///   library has written a segment.
  /// - Complexity: reads everything once, and segments that seem damaged again, up to ``maxLooks`` times. Takes some
  ///   megabytes of memory, whatever the size of the directory.
  package func verify(progress: (Int) throws -> Void = { _ in }) throws -> SpillVerification {
    var found = SpillVerification()
    if expected == nil {
      found.add(
        .init(segment: nil, offset: 0, reason: root == .missing ? "the file is missing" : "the file is damaged"))
    }
    for number in try segments().numbers {
      // Removed in between, or not one of ours.
      guard let status = status(of: number) else { continue }
      var told = 0
      var looked = try look(at: number) { place in
        try progress(place - told)
        told = place
      }
      try progress(max(0, status.size - told))
      var looks = 1
      while let last = looked, last.damaged > 0, looks < Self.maxLooks {
        looks += 1
        looked = try look(at: number) { _ in try progress(0) }
        // No process is changing it any more.
        if looked?.damages == last.damages { break }
      }
      if let looked { found.add(looked) }
    }
    return found
  }

  /// The most reads of a segment that seems damaged, until two in a row agree. A process that writes the segment
  /// makes each read see more than the one before, but it finishes at some time.
  static let maxLooks = 8

  /// Reads one segment; `nil` if it is gone. `progress` receives the offset up to which it was read.
  private func look(at number: UInt64, progress: (Int) throws -> Void) throws -> SpillVerification? {
    var walk: SpillWalk?
    do {
      // `try?`: it was removed in between.
      guard let file = try? folder.directory.open(SpillFormat.segmentName(number), writing: false) else { return nil }
      walk = try SpillWalk(number, file, length: try file.status().size, of: expected)
      while try walk!.step() { try progress(walk!.place) }
      return walk!.found
    } catch let error as Errno {
      var found = walk?.found ?? SpillVerification()
      let reason = "it cannot be read: \(error.description.lowercased())"
      // Before the first record, nothing is known of the segment.
      let offset = walk.map { $0.place == SpillFormat.headerCount ? 0 : $0.place } ?? 0
      found.add(.init(segment: number, offset: offset, reason: reason))
      return found
    }
  }
}
