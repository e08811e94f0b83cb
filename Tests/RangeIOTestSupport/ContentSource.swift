import RangeIO

/// Bytes in memory as a source, which notes what it is asked.
final class ContentSource: RangeSource {
  struct Asked: Equatable {
    var ranges: [ByteRange]
    var id: String
  }

  let bytes: Bytes
  private let isPrompt: Bool
  private let asked = Locked<[Asked]>([])
  private let closings = Locked(0)
  private let answer: @Sendable (ByteRange, Bytes) throws -> Bytes

  /// - Parameter answer: gets the range asked for and all bytes; by default gives what is right.
  init(
    _ content: some Sequence<UInt8>, isPrompt: Bool = true,
    answer: @escaping @Sendable (ByteRange, Bytes) throws -> Bytes = { $1.slice($0) }
  ) {
    bytes = Bytes(content)
    self.isPrompt = isPrompt
    self.answer = answer
  }

  var requests: [Asked] { asked.withLock { $0 } }
  var closeCount: Int { closings.withLock { $0 } }

  func describe() async throws -> SourceDescription {
    SourceDescription(
      id: "content", validator: nil, byteCount: bytes.count, traits: .with { $0.answersCancellation = isPrompt })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    asked.withLock { $0.append(Asked(ranges: [range], id: source.id)) }
    return try answer(range, bytes)
  }

  func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
    asked.withLock { $0.append(Asked(ranges: ranges, id: source.id)) }
    return try ranges.map { try answer($0, bytes) }
  }

  func close() async { closings.withLock { $0 += 1 } }
}
