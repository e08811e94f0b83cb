internal import CRangeIOMapped
internal import RangeIO

// How it reads bytes: pages that are loaded before a slice of them is returned, or copies.

extension MappedSource {
  /// The most bytes per read, of one range or of many, that are copied on the caller's own thread and actor.
  static let mostCopiedHere = 256 * 1024
  /// The most bytes per read whose pages are loaded there.
  private static let mostMappedHere = 4 * 1024 * 1024

  /// - Parameter here: the bytes of the read so far, including `range`, that may have kept the caller's actor busy.
  func bytes(
    of range: ByteRange, _ file: MappedFile, _ version: MappedVersion, here: Int
  ) async throws -> Bytes {
    switch configuration.slices {
    case .copied: return try await copy(of: range, file, here: here)
    case .zeroCopy: break
    }
    // Mapping a file also checks its status, which may wait for a server.
    let mapping =
      file.isRemote
      ? try await file.queues.run { try file.mapping(covering: range.upperBound, of: version.size) }
      : try file.mapping(covering: range.upperBound, of: version.size)
    do {
      // Only as reliable as `mincore`: for a file of another user it reports that all pages are in memory.
      if !file.isRemote, here <= Self.mostMappedHere, file.calls.isResident(mapping.pages(of: range)) {
        try file.faultIn(range, of: mapping)
      } else {
        try await file.queues.run {
          mapping.advise(rim_will_need, range)
          try file.faultIn(range, of: mapping)
        }
      }
    } catch {
      // A change of the file explains more than the error that it caused.
      try await check(version, after: range, file)
      throw error
    }
    counts.mapped.add(range.count)
    return mapping.bytes(range)
  }

  /// - Parameter here: as above.
  func copy(of range: ByteRange, _ file: MappedFile, here: Int) async throws -> Bytes {
    if !file.isRemote, here <= Self.mostCopiedHere, let bytes = file.copyOfResident(range) {
      counts.copied.add(range.count)
      return bytes
    }
    let bytes = try await file.queues.run {
      try Bytes(count: range.count) { try file.fill($0, from: range) }
    }
    counts.copied.add(range.count)
    return bytes
  }
}
