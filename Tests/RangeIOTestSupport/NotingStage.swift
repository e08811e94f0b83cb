import RangeIO

/// A stage that notes the requests that pass, and may stand for another description.
struct NotingStage: ReadStage {
  struct Seen: Equatable {
    var stage: String
    var range: ByteRange
    var moreRanges: [ByteRange]
    var source: String
    var byteCount: Int
  }

  let name: String
  let notes: Noted<Seen>
  var placement = ReadPipeline.Placement.anywhere
  /// The bytes at the source's start that the stages above do not see.
  var header: Int?
  let closings = Noted<String>()

  func describe(_ below: SourceDescription) -> SourceDescription {
    guard let header else { return below }
    return below.deriving("skip:\(header)", byteCount: below.byteCount - header)
  }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    notes.add(
      Seen(
        stage: name, range: request.range, moreRanges: request.moreRanges, source: request.source.id,
        byteCount: request.source.byteCount))
    guard let header else { return try await next(request) }
    var below = request
    below.range = request.range.lowerBound + header..<request.range.upperBound + header
    below.moreRanges = request.moreRanges.map { $0.lowerBound + header..<$0.upperBound + header }
    return try await next(below)
  }

  func close() async { closings.add(name) }
}
