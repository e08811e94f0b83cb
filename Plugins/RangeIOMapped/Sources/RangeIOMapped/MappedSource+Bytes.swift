internal import CRangeIOMapped
internal import RangeIO

// Its bytes: pages that are brought in before they are handed out, or copies.

extension MappedSource {
  /// Up to so many bytes of one read are copied on the caller's own thread and actor, of one range or of many.
  static let mostCopiedHere = 256 * 1024
  /// Up to so many bytes of one read have their pages entered there.
  private static let mostMappedHere = 4 * 1024 * 1024

  /// - Parameter here: the bytes of the read so far, those of `range` included, that may have kept the caller's actor busy.
  func bytes(
    of range: ByteRange, _ file: MappedFile, _ version: MappedVersion, here: Int
  ) async throws -> Bytes {
    switch configuration.slices {
    case .copied: return try await copy(of: range, file, here: here)
    case .zeroCopy: break
    }
    // Mapping a file looks at it.
    let mapping =
      file.isRemote
      ? try await file.queues.run { try file.mapping(covering: range.upperBound, of: version.size) }
      : try file.mapping(covering: range.upperBound, of: version.size)
    do {
      // Only as good as what `mincore` tells: of a file that is another user's it says that all is there.
      if !file.isRemote, here <= Self.mostMappedHere, file.calls.isResident(mapping.pages(of: range)) {
        try file.faultIn(range, of: mapping)
      } else {
        try await file.queues.run {
          mapping.advise(rim_will_need, range)
          try file.faultIn(range, of: mapping)
        }
      }
    } catch {
      // What the file has become says more than what failed because of it.
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
