// Which requests a link passes on: those whose ranges lie within the source and are not empty.

extension ReadLink {
  /// The source as the stages below see it.
  private final func seen(_ source: SourceDescription) -> SourceDescription {
    showsBase ? source.base ?? source : source
  }

  /// True if each range of `request` can be read: it is not empty, and lies within the source.
  @usableFromInline final func takes(_ request: ReadRequest) -> Bool {
    // Nearly all requests: without a copy of the source, whose count of references all tasks would share.
    if !showsBase, request.isOfOneRange { return !request.range.isEmpty && request.source.has(request.range) }
    let source = seen(request.source)
    return request.ranges.allSatisfy { !$0.isEmpty && source.has($0) }
  }

  /// `request` without its empty ranges; `nil` if all are empty.
  ///
  /// - Throws: `invalidResponse` for a range that is not within the source.
  final func wanted(of request: ReadRequest) throws(ReadError) -> ReadRequest? {
    let source = seen(request.source)
    for range in request.ranges where !range.isEmpty && !source.has(range) {
      throw ReadError(
        .invalidResponse,
        "\(caller.map { "\($0)" } ?? "the reader") asks for \(range) of \(source.byteCount) bytes: a stage reads within the "
          + "description below it",
        context: .init(source: source.name, range: range))
    }
    let wanted = request.ranges.filter { !$0.isEmpty }
    return wanted.isEmpty ? nil : request.asking(for: wanted)
  }
}

extension ReadNext {
  /// Reads `request`, of which a range is empty or does not lie within the source. The stages below see neither.
  @usableFromInline @inline(never)
  nonisolated(nonsending) func readUnusual(_ request: ReadRequest) async throws -> ReadResponse {
    guard let below = try link.wanted(of: request) else { return ReadResponse(request.ranges.mapped { _ in Bytes() }) }
    let response = try await read(below, isAsked: false)
    try response.check(below)
    // As many as there are ranges that are not empty: `check` has seen to that.
    var pieces = response.pieces.makeIterator()
    return ReadResponse(request.ranges.mapped { $0.isEmpty ? Bytes() : pieces.next()! })
  }
}
