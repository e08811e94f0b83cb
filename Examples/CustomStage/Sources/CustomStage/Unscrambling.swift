import RangeIO

/// Decodes a file in which every byte is XORed with a key.
struct Unscrambling: ReadStage {
  let key: UInt8
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    try await next(request).map(request) { _, bytes in Bytes(bytes.map { $0 ^ key }) }
  }
  func describe(_ below: SourceDescription) -> SourceDescription {
    below.deriving("xor:\(key)", byteCount: below.byteCount)
  }
}
