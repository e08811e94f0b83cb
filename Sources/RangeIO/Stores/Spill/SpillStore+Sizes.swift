extension SpillStore {
  /// The smallest size of a segment that holds so many whole blocks of one source as they are, with all that is beside
  /// them; in whole pages, as the disk counts. `nil` for a source that is not spilled.
  package static func segmentSize(
    holding blocks: Int, of source: SourceDescription, on grid: BlockGrid
  ) -> ByteCount? {
    guard let identity = SpillIdentity(source, grid) else { return nil }
    var footer = SpillFooter()
    footer.identities = [identity]
    let record = SpillFormat.recordCount(payload: grid.blockSize)
    let closing = SpillFormat.recordHeaderCount + footer.byteCount + SpillFormat.trailerCount
    let fixed = SpillFormat.headerCount + SpillFormat.recordCount(payload: identity.bytes.count) + closing
    return .bytes(SpillLedger.rounded(fixed + blocks * (record + SpillFooter.growth)))
  }

  /// The limit under which a directory has room for so many segments, one of which a store keeps free.
  package static func limit(segments: Int, of size: ByteCount) -> ByteCount {
    .bytes(fixedBytes + segments * SpillLedger.rounded(size.bytes))
  }
}
