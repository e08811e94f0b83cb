/// What ``Transforming`` does.
final class TransformingStage: ExplainingStage {
  private let name: String
  private let decoded: EqualBlocks
  private let encoded: EqualBlocks
  private let headerSize: Int
  private let decode: @Sendable (_ block: Int, _ encoded: Bytes) throws -> Bytes
  private let counts = Stripes()

  private enum Count: Int {
    case reads, blocks, bytesBeside
  }

  init(
    name: String, blockSize: ByteCount, encodedBlockSize: ByteCount? = nil, headerSize: ByteCount = .bytes(0),
    decode: @escaping @Sendable (_ block: Int, _ encoded: Bytes) throws -> Bytes
  ) {
    let encodedBlockSize = encodedBlockSize ?? blockSize
    precondition(blockSize.bytes > 0, "a block has bytes")
    precondition(encodedBlockSize >= blockSize, "an encoded block is not smaller than what it decodes to")
    self.name = name
    decoded = EqualBlocks(size: blockSize.bytes)
    encoded = EqualBlocks(size: encodedBlockSize.bytes)
    self.headerSize = headerSize.bytes
    self.decode = decode
  }

  /// How many bytes longer an encoded block is than a decoded one.
  private var overhead: Int { encoded.size - decoded.size }

  /// The description of the decoded source.
  func describe(_ below: SourceDescription) -> SourceDescription {
    let shape = headerSize > 0 || overhead > 0 ? "(\(encoded.size)>\(decoded.size),\(headerSize))" : "(\(decoded.size))"
    return below.deriving(name + shape, byteCount: decodedByteCount(below.byteCount))
  }

  private func decodedByteCount(_ byteCount: Int) -> Int {
    let body = max(0, byteCount - headerSize)
    return body / encoded.size * decoded.size + max(0, body % encoded.size - overhead)
  }

  /// Reads and decodes.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    // The link above has derived this source with `describe`.
    let below = request.source.base ?? request.source
    try check(below)
    let runs = decoded.runs(covering: request.ranges)
    guard !runs.isEmpty else { return ReadResponse(Bytes(), moreBytes: request.moreRanges.map { _ in Bytes() }) }
    let body = below.byteCount - headerSize
    let ranges = runs.map { run in
      let range = encoded.range(of: run, in: body)
      return range.lowerBound + headerSize..<range.upperBound + headerSize
    }
    let wide = request.asking(for: ranges)
    let response = try await next(wide)
    try response.check(asked: wide, of: below)
    var answers = BlockRuns()
    var decodedBytes = 0
    for (index, run) in runs.enumerated() {
      let bytes = index == 0 ? response.bytes : response.moreBytes[index - 1]
      let range = decoded.range(of: run, in: request.source.byteCount)
      answers.append(range, try decode(bytes, run, of: request.source))
      decodedBytes += range.count
    }
    counts.add(max(0, decodedBytes - request.byteCount), to: Count.bytesBeside.rawValue)
    return answers.response(to: request)
  }

  /// Explains a range by the encoded blocks it is decoded from. For each block, the byte from the farthest origin
  /// counts.
  func explain(
    _ range: ByteRange, of source: SourceDescription, next: ReadNext
  ) -> [ReadExplanation.Part] {
    let body = (source.base ?? source).byteCount - headerSize
    let blocks = decoded.blocks(covering: range)
    guard !blocks.isEmpty, body > 0 else { return [] }
    let whole = encoded.range(of: blocks, in: body)
    let parts = next.explain(whole.lowerBound + headerSize..<whole.upperBound + headerSize, of: source)
    var first = 0
    return blocks.compactMap { block in
      let range = decoded.range(of: block..<block + 1, in: source.byteCount).clamped(to: range)
      let encodedRange = encoded.range(of: block..<block + 1, in: body)
      let end = encodedRange.upperBound + headerSize
      while first < parts.count, parts[first].range.upperBound <= encodedRange.lowerBound + headerSize { first += 1 }
      let farthest = parts[first...].prefix { $0.range.lowerBound < end }.max {
        $0.origin.distance < $1.origin.distance
      }
      return farthest.map { ReadExplanation.Part(range, $0.origin, detail: $0.detail, reasons: $0.reasons) }
    }
  }

  /// Throws if the source ends within the header, or if its last block is too short to be one.
  private func check(_ below: SourceDescription) throws(ReadError) {
    let rest = (below.byteCount - headerSize) % encoded.size
    guard below.byteCount < headerSize || rest > 0 && rest < overhead else { return }
    throw ReadError(
      .corrupted,
      "\(below.byteCount) bytes are no header of \(headerSize) and blocks of \(encoded.size), each with \(overhead) "
        + "besides its bytes: the source is cut short, or these sizes are not its own",
      context: .init(source: below.name))
  }

  private func decode(_ bytes: Bytes, _ run: Range<Int>, of source: SourceDescription) throws -> Bytes {
    var pieces: [Bytes] = []
    pieces.reserveCapacity(run.count)
    var start = 0
    for block in run {
      try Task.checkCancellation()
      let end = min(start + encoded.size, bytes.count)
      let piece = try decode(block, bytes.slice(start..<end))
      let range = decoded.range(of: block..<block + 1, in: source.byteCount)
      guard piece.count == range.count else {
        throw ReadError(
          .invalidResponse, "block \(block) was decoded to \(piece.count) bytes instead of \(range.count)",
          context: .init(source: source.name, offset: range.lowerBound, count: range.count))
      }
      pieces.append(piece)
      start = end
    }
    counts.add(run.count, to: Count.blocks.rawValue)
    return Bytes(concatenating: pieces)
  }

  /// Reads, blocks decoded, and extra bytes that were decoded to complete blocks.
  func statistics() -> ReadCounts? {
    ReadCounts(
      "Transforming",
      counts: [
        .init("reads", counts.sum(Count.reads.rawValue)), .init("blocks", counts.sum(Count.blocks.rawValue)),
        .init("bytes beside", counts.sum(Count.bytesBeside.rawValue)),
      ])
  }
}

extension ReadResponse {
  /// Like ``check(_:)``, for a request that carries the description of the stage above.
  fileprivate func check(asked request: ReadRequest, of source: SourceDescription) throws(ReadError) {
    var request = request
    request.source = source
    try check(request)
  }
}
