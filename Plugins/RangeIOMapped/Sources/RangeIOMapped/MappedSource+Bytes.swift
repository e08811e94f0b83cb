internal import CRangeIOMapped
internal import RangeIO

// Its bytes: pages that are brought in before they are handed out, or copies.

extension MappedSource {
  func bytes(of range: ByteRange, _ file: MappedFile, _ version: MappedVersion) async throws -> Bytes {
    switch configuration.slices {
    case .copied: return try await copy(of: range, file)
    case .zeroCopy: break
    }
    let mapping = try file.mapping(covering: range.upperBound, of: version.size)
    do {
      // Only as good as what `mincore` tells: of a file that is another user's it says that all is there.
      if file.calls.isResident(mapping.pages(of: range)) {
        try file.faultIn(range, of: mapping)
      } else {
        try await DiskQueues.shared.run {
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

  func copy(of range: ByteRange, _ file: MappedFile) async throws -> Bytes {
    if let bytes = file.copyOfResident(range) {
      counts.copied.add(range.count)
      return bytes
    }
    let bytes = try await DiskQueues.shared.run {
      try Bytes(count: range.count) { try file.fill($0, from: range) }
    }
    counts.copied.add(range.count)
    return bytes
  }
}
