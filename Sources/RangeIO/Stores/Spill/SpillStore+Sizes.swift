extension SpillStore {
  /// The smallest segment size that holds this many whole blocks of one source uncompressed, with all overhead; in
  /// whole pages, as the disk counts. `nil` for a source that is not spilled.
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

  /// The limit under which a directory has room for this many segments. The store keeps one of them free.
  package static func limit(segments: Int, of size: ByteCount) -> ByteCount {
    .bytes(fixedBytes + segments * SpillLedger.rounded(size.bytes))
  }
}
