extension ReadPipeline {
  /// Decodes a source block by block. Use it for ciphers, interleaved checksums, and other encodings in which each block
  /// can be decoded on its own. Your decoder gets the number of each block.
  ///
  /// A cipher in counter mode, whose counter is the block number:
  ///
  /// ```swift
  /// let reader = try await RangeReader(
  ///   source,
  ///   [
  ///     .caching(store),
  ///     .decoding(name: "aes-ctr:key7", blockSize: .bytes(16)) { block, encoded in
  ///       try cipher.decrypt(encoded, counter: block)
  ///     },
  ///   ])
  /// ```
  ///
  /// With tags, such as the 16-byte tags of AES-GCM behind each 4 KiB, and a header before the first block:
  ///
  /// ```swift
  /// .decoding(
  ///   name: "aes-gcm:key7", blockSize: .kibibytes(4), encodedBlockSize: .bytes(4112), headerSize: .bytes(32)
  /// ) { block, encoded in try open(encoded, nonce: nonce(block)) }
  /// ```
  ///
  /// The stage widens a request to whole blocks, reads them as one request, decodes each block once per request, and cuts
  /// the answer from the result. The stages above see a source of the decoded size. The last block may be short: it then
  /// loses as many bytes in decoding as every other block.
  ///
  /// **Place.** Anywhere. Below `.caching`, the cache keeps decoded bytes: each block is decoded once, and is
  /// unencrypted in memory and on disk. Above `.caching`, the cache keeps encoded bytes, which are decoded at every
  /// read, including hits; `RangeReader.cached(_:)` decodes them too, if their blocks have up to 256 KiB. Below
  /// `.verifying`, the decoded bytes are checked; above it, the encoded ones. `.limiting` above it counts decoded bytes.
  /// Several of these stages may follow each other.
  ///
  /// **Errors.** Any error that `decode` throws, unchanged. `ReadError.Code.corrupted` if the source ends within the
  /// header, or if the last encoded block is too short for its own overhead. `invalidResponse` if `decode` returns a
  /// wrong number of bytes.
  ///
  /// **Cancellation.** Noticed by the stages below, and between two blocks. A block that is being decoded is decoded to
  /// its end.
  ///
  /// **Cost.** Your decoder, for each block that the read touches. All these blocks stay in memory, encoded and decoded,
  /// until the read returns. Up to 256 KiB are decoded where the read runs, more on a thread that belongs to no actor.
  ///
  /// - Parameters:
  ///   - name: describes the encoding and everything that the result depends on, such as the key. Readers share
  ///     cached bytes if their names are equal.
  ///   - blockSize: the size of a decoded block; only the last may be shorter. Not zero.
  ///   - encodedBlockSize: the size of an encoded block, not less than `blockSize`. Default: the same.
  ///   - headerSize: the bytes before the first block, which the stages above do not see. Default: none.
  ///   - decode: decodes a block to exactly `blockSize` bytes; a short block to that many less the bytes that it lacks.
  ///     Gets the number of the block, counted from zero, and its bytes, which may lie in several pieces of memory.
  ///
  /// - Precondition: `blockSize` is neither zero nor more than `encodedBlockSize`. Check sizes that you read from a
  ///   file before you pass them.
  public static func decoding(
    name: String, blockSize: ByteCount, encodedBlockSize: ByteCount? = nil, headerSize: ByteCount = .bytes(0),
    decode: @escaping @Sendable (_ block: Int, _ encoded: Bytes) throws -> Bytes
  ) -> ReadPipeline {
    decoding(name: name, blockSize: blockSize, encodedBlockSize: encodedBlockSize, headerSize: headerSize) {
      block, _, encoded in try decode(block, encoded)
    }
  }

  /// Decodes a source block by block, as ``decoding(name:blockSize:encodedBlockSize:headerSize:decode:)``, for formats that mark
  /// their last block, as the STREAM construction does, or have bytes behind it.
  ///
  /// ```swift
  /// .decoding(name: "stream:key7", blockSize: .kibibytes(64), encodedBlockSize: .bytes(65_552)) { block, isLast, encoded in
  ///   try open(encoded, nonce: nonce(block, isLast))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: describes the encoding and everything that the result depends on.
  ///   - blockSize: the size of a decoded block; only the last may be shorter. Not zero.
  ///   - encodedBlockSize: the size of an encoded block, not less than `blockSize`. Default: the same.
  ///   - headerSize: the bytes before the first block. Default: none.
  ///   - trailerSize: the bytes after the last block. Default: none.
  ///   - decode: decodes a block, and gets to know whether it is the last of the source.
  ///
  /// - Precondition: `blockSize` is neither zero nor more than `encodedBlockSize`.
  public static func decoding(
    name: String, blockSize: ByteCount, encodedBlockSize: ByteCount? = nil, headerSize: ByteCount = .bytes(0),
    trailerSize: ByteCount = .bytes(0),
    decode: @escaping @Sendable (_ block: Int, _ isLast: Bool, _ encoded: Bytes) throws -> Bytes
  ) -> ReadPipeline {
    let encodedBlockSize = encodedBlockSize ?? blockSize
    precondition(blockSize.bytes > 0, "a block has bytes")
    precondition(encodedBlockSize >= blockSize, "an encoded block is not smaller than what it decodes to")
    return .stage(
      DecodingStage(
        name, EqualBlocks(size: blockSize.bytes), encoded: EqualBlocks(size: encodedBlockSize.bytes),
        headerSize: headerSize.bytes, trailerSize: trailerSize.bytes, decode: decode))
  }
}

/// The stage of `.decoding`: reads encoded blocks, and returns decoded bytes.
final class DecodingStage: RoleStage {
  private let name: String
  private let decoded: EqualBlocks
  private let encoded: EqualBlocks
  private let headerSize: Int
  private let trailerSize: Int
  private let decode: @Sendable (_ block: Int, _ isLast: Bool, _ encoded: Bytes) throws -> Bytes
  private let counts = Stripes()

  private enum Count: Int {
    case reads, blocks, bytesBeside
  }

  init(
    _ name: String, _ decoded: EqualBlocks, encoded: EqualBlocks, headerSize: Int, trailerSize: Int,
    decode: @escaping @Sendable (_ block: Int, _ isLast: Bool, _ encoded: Bytes) throws -> Bytes
  ) {
    self.name = name
    self.decoded = decoded
    self.encoded = encoded
    self.headerSize = headerSize
    self.trailerSize = trailerSize
    self.decode = decode
  }

  var role: StageRole { .decoding(explain: explain) }

  /// The bytes by which an encoded block is longer than a decoded one.
  private var overhead: Int { encoded.size - decoded.size }

  func describe(_ below: SourceDescription) -> SourceDescription {
    let shape = headerSize > 0 || overhead > 0 ? "(\(encoded.size)>\(decoded.size),\(headerSize))" : "(\(decoded.size))"
    let end = trailerSize > 0 ? "(-\(trailerSize))" : ""
    return below.deriving(name + shape + end, byteCount: decodedByteCount(below.byteCount))
  }

  /// The size of all encoded blocks in a source of this size; less than zero if it ends before them.
  private func bodySize(_ byteCount: Int) -> Int { byteCount - headerSize - trailerSize }

  private func decodedByteCount(_ byteCount: Int) -> Int {
    let body = max(0, bodySize(byteCount))
    return body / encoded.size * decoded.size + max(0, body % encoded.size - overhead)
  }

  /// Decodes here what a cache below has, if it is no more than a read would decode here.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    // `try?`, twice: no answer is given here, and the read that follows throws the same error. Without a cache below, a cache above shares what one read decodes.
    guard next.isKept, let (runs, wide) = try? encoded(request), wide.byteCount <= BackgroundWork.maxBytesHere,
      case .here(let response)? = (next.link as? BaseDescriptionLink)?.encodedAnswer(wide),
      let answer = try? decode(response, runs, for: request, asked: wide)
    else { return .later }
    counts.add(1, to: Count.reads.rawValue)
    return .here(answer)
  }

  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    let (runs, wide) = try encoded(request)
    let response = try await next(wide)
    return try await BackgroundWork.offActor(of: wide.byteCount) { [self] in
      try decode(response, runs, for: request, asked: wide)
    }
  }

  /// The runs of blocks that hold the ranges of `request`, and the request for them below.
  private func encoded(_ request: ReadRequest) throws(ReadError) -> (runs: [Range<Int>], wide: ReadRequest) {
    // The link above has derived this source with `describe`.
    let below = request.source.base ?? request.source
    try check(below)
    let runs = decoded.runs(covering: request.ranges)
    let body = bodySize(below.byteCount)
    let ranges = runs.map { run in
      let range = encoded.range(of: run, in: body)
      return range.lowerBound + headerSize..<range.upperBound + headerSize
    }
    return (runs, request.asking(for: ranges))
  }

  private func decode(
    _ response: ReadResponse, _ runs: [Range<Int>], for request: ReadRequest, asked wide: ReadRequest
  ) throws -> ReadResponse {
    try response.check(asked: wide, of: request.source.base ?? request.source)
    var answers = BlockRuns()
    var decodedBytes = 0
    for (run, bytes) in zip(runs, response.pieces) {
      let range = decoded.range(of: run, in: request.source.byteCount)
      answers.append(range, try decode(bytes, run, of: request.source))
      decodedBytes += range.count
    }
    counts.add(max(0, decodedBytes - request.byteCount), to: Count.bytesBeside.rawValue)
    return answers.response(to: request)
  }

  /// Explains a range by the encoded blocks it is decoded from. For each block, the byte from the farthest origin
  /// counts.
  private func explain(
    _ range: ByteRange, of source: SourceDescription, next: ReadNext
  ) -> [ReadExplanation.Part] {
    let body = bodySize((source.base ?? source).byteCount)
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
    let rest = bodySize(below.byteCount) % encoded.size
    guard bodySize(below.byteCount) < 0 || rest > 0 && rest < overhead else { return }
    let around = "header of \(headerSize)" + (trailerSize > 0 ? ", end of \(trailerSize)" : "")
    throw ReadError(
      .corrupted,
      "\(below.byteCount) bytes are no \(around) and blocks of \(encoded.size), each with \(overhead) "
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
      let range = decoded.range(of: block..<block + 1, in: source.byteCount)
      let piece = try decode(block, range.upperBound == source.byteCount, bytes.slice(start..<end))
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
  func statistics() -> Counters? {
    Counters("Decoding", counts, "reads", "blocks", "bytes beside")
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
