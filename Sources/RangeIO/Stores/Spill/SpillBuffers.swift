/// The memory into which a run of records is read: payloads that are not encoded go where they are to stay, all else is
/// thrown away after it was decoded.
struct SpillBuffers {
  /// One record, once it was read.
  struct Part {
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    /// Of which the payload is all.
    let block: WritableBytes?
  }

  /// In the order of the file.
  private(set) var pieces: [UnsafeMutableRawBufferPointer] = []
  private(set) var parts: [Part] = []
  private let scratch: WritableBytes

  /// `nil` if there is no memory.
  init?(_ run: SpillRun) {
    // A record whose payload is as long as its block is not encoded, or lies about it, which shows.
    let direct = run.parts.reduce(0) { $0 + ($1.stored == $1.count ? $1.count : 0) }
    guard let scratch = try? BufferPool.shared.buffer(max(1, run.byteCount - direct)) else { return nil }
    self.scratch = scratch
    parts.reserveCapacity(run.parts.count)
    var (start, end) = (0, 0)
    for (number, part) in run.parts.enumerated() {
      let header = scratch.filled(scratch.capacity).part(end, SpillFormat.recordHeaderCount)
      end += SpillFormat.recordHeaderCount
      if part.stored == part.count {
        guard let block = BlockBacking.allocate(part.count) else { return nil }
        pieces.append(scratch.memory.part(start, end - start))
        pieces.append(block.memory)
        start = end
        parts.append(Part(header: header, payload: block.filled(part.count), block: block))
      } else {
        parts.append(
          Part(header: header, payload: scratch.filled(scratch.capacity).part(end, part.stored), block: nil))
        end += part.stored
      }
      if number + 1 < run.parts.count { end += SpillFormat.padded(part.stored) - part.stored }
    }
    if start < end { pieces.append(scratch.memory.part(start, end - start)) }
  }
}
