import RangeIO

/// The memory for reading a run of records. Payloads that are not encoded are read to their final place; everything
/// else is decoded and then discarded.
struct SpillBuffers {
  /// One record after reading.
  struct Part {
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    /// The block, if the payload is the block itself.
    let block: WritableBytes?
  }

  /// In file order.
  private(set) var pieces: [UnsafeMutableRawBufferPointer] = []
  private(set) var parts: [Part] = []
  private let scratch: WritableBytes

  /// `nil` if there is no memory.
  init?(_ run: SpillRun) {
    let direct = run.parts.reduce(0) { $0 + (run.isBlock($1) ? $1.count : 0) }
    // `try?`: it fails for want of memory alone, which the caller learns by `nil`.
    guard let scratch = try? BufferPool.shared.buffer(max(1, run.byteCount - direct)) else { return nil }
    self.scratch = scratch
    parts.reserveCapacity(run.count)
    var (start, end) = (0, 0)
    for (number, part) in run.parts.enumerated() {
      let header = scratch.filled(scratch.capacity).part(end, SpillFormat.recordHeaderCount)
      end += SpillFormat.recordHeaderCount
      if run.isBlock(part) {
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
      if number + 1 < run.count { end += SpillFormat.padded(part.stored) - part.stored }
    }
    if start < end { pieces.append(scratch.memory.part(start, end - start)) }
  }
}
