#if Tool
import RangeIO

/// Copies selections of a source to its destination, one after the other, in bounded memory.
struct Copying {
  let source: SourceName
  let selections: [Selection]
  var options: OpeningOptions
  /// The file may grow in the meantime. The copy covers what the file has when it is opened.
  let growing: Bool
  let force: Bool
  let hex: Bool
  let bytesPerSecond: Int?
  /// A file is on the disk when it has its name.
  var isForced = false

  init(
    source: SourceName, selections: [Selection], options: OpeningOptions, growing: Bool = false, force: Bool,
    hex: Bool = false, bytesPerSecond: Int? = nil
  ) {
    (self.source, self.selections, self.options) = (source, selections, options)
    (self.growing, self.force, self.hex, self.bytesPerSecond) = (growing, force, hex, bytesPerSecond)
    if let first = selections.first { self.options.opening = first.opening }
    let isWhole = selections == [.whole] && !options.follows
    (self.options.readsAll, self.options.needsNoSize) = (isWhole, isWhole && bytesPerSecond == nil)
  }

  private var growth: Growth { growing ? .followed : .refused }

  /// Copies to standard output.
  func toStandardOutput() async throws {
    let output = SourceOutput(force: force, hex: hex)
    if source.isPipe {
      try await copyStandardInput { try output.write($0) }
    } else {
      try await opening(orAll: all { try output.write($0) }) { reader, holes in
        if !source.isURL { try SourceGuard.checkStandardOutput(isNotFileAt: source.text) }
        try await copy(reader, holes, showsProgress: StandardOutputKind.isRegularFile) { try output.write($0) }
      }
    }
    try output.end()
  }

  /// Copies to the file at `path`, which appears only when it is complete.
  func toFile(_ path: String) async throws {
    let path = try PathArgument.path(path, for: "--output")
    if source.isPipe {
      var output = try OutputFile.create(path, force: force)
      try await copyStandardInput { try output.write($0) }
      return try output.finish(isForced: isForced)
    }
    try await opening(orAll: all(to: path)) { reader, holes in
      try await SourceGuard.check(path, isNot: reader.source)
      var output = try OutputFile.create(path, force: force)
      try await copy(reader, holes, showsProgress: true) { try output.write($0) }
      try output.finish(isForced: isForced)
    }
  }

  private nonisolated(nonsending) func opening(
    orAll readAll: ((OpenedSource.ReadAll) async throws -> Void)?,
    _ body: nonisolated(nonsending) (RangeReader, FileHoles?) async throws -> Void
  ) async throws {
    var options = options
    options.isAppendOnly = growing
    let opened = try OpenedSource(source, options)
    try await withReader(
      source, of: opened.source, growth: growth, opened.pipeline(options),
      orAll: { try await readingAll(source, options, $0, readAll) }
    ) { reader in
      try await body(reader, FileHoles(opened.source))
    }
  }

  /// Passes all bytes to `write`, once; `nil` unless all are selected.
  private func all(_ write: @escaping (SourcePart) throws -> Void) -> ((OpenedSource.ReadAll) async throws -> Void)? {
    guard selections == [.whole], !options.follows, bytesPerSecond == nil else { return nil }
    return { readAll in
      var position = 0
      _ = try await readAll {
        try write(.bytes($0, at: position))
        position += $0.count
      }
    }
  }

  /// Copies all bytes to the file at `path`, once; `nil` unless all are selected.
  func all(to path: String) -> ((OpenedSource.ReadAll) async throws -> Void)? {
    guard selections == [.whole], bytesPerSecond == nil else { return nil }
    return { readAll in
      var output = try OutputFile.create(path, force: force)
      _ = try await readAll { try output.write(.bytes($0, at: 0)) }
      try output.finish(isForced: isForced)
    }
  }

  /// Copies what is selected of standard input, which comes once.
  private func copyStandardInput(to write: (SourcePart) throws -> Void) async throws {
    var picking = try ForwardPicking(selections)
    var pace = pace
    while !picking.isDone {
      try Task.checkCancellation()
      let piece = try StandardInput.next(min(StandardInput.maxReadBytes, pace?.step ?? .max))
      if piece.isEmpty { break }
      try await pace?.wait(for: piece.count)
      for part in picking.take(piece) { try write(part) }
    }
    try picking.end()
  }

  private var pace: PacedReading? { bytesPerSecond.map { PacedReading(bytesPerSecond: $0) } }

  private func copy(
    _ reader: RangeReader, _ holes: FileHoles?, showsProgress: Bool, to write: (SourcePart) throws -> Void
  ) async throws {
    var pace = pace
    if options.follows {
      var position = 0
      for try await piece in reader.stream(following: 0..., chunkSize: .kibibytes(64)) {
        try await pace?.wait(for: piece.count)
        try write(.bytes(piece, at: position))
        position += piece.count
      }
      return
    }
    guard pace == nil else {
      // It pauses by itself.
      return try await copyAll(reader, holes, &pace, showsProgress: showsProgress, to: write)
    }
    try await tellingOfSilence(of: source, { reader.statistics().source }) {
      try await copyAll(reader, holes, &pace, showsProgress: showsProgress, to: write)
    }
  }

  private func copyAll(
    _ reader: RangeReader, _ holes: FileHoles?, _ pace: inout PacedReading?, showsProgress: Bool,
    to write: (SourcePart) throws -> Void
  ) async throws {
    let total = selections.reduce(0) { sum, selection in
      let (total, overflow) = sum.addingReportingOverflow(
        min(selection.range(in: reader.byteCount).count, reader.byteCount))
      return overflow ? .max : total
    }
    var progress = Progress(source.shown, total: total, isShown: showsProgress && StandardError.showsProgress)
    defer { progress.clear() }
    // Over a slow link small pieces come earlier.
    let chunkSize = source.isURL ? ByteCount.kibibytes(64) : .mebibytes(1)
    func pass(_ part: SourcePart) throws {
      try write(part)
      progress.advance(part.count)
    }
    func pass(_ stream: ByteStream, from offset: Int) async throws {
      var position = offset
      for try await piece in stream {
        try pass(.bytes(piece, at: position))
        position += piece.count
      }
    }
    for selection in selections {
      var rest = selection.range(in: reader.byteCount)
      // What does not lie within the source is the stream's to refuse.
      guard holes != nil || pace != nil, !rest.isEmpty, rest.upperBound <= reader.byteCount else {
        try await pass(selection.stream(of: reader, chunkSize: chunkSize), from: rest.lowerBound)
        continue
      }
      while !rest.isEmpty {
        let found = try await holes?.next(in: rest, of: reader.source) ?? .init(end: rest.upperBound)
        for hole in found.holes + [found.end..<found.end] {
          var data = rest.lowerBound..<hole.lowerBound
          if pace == nil, !data.isEmpty {
            try await pass(reader.stream(data, chunkSize: chunkSize), from: data.lowerBound)
          }
          while let step = pace?.step, !data.isEmpty {
            let part = data.lowerBound..<data.lowerBound + min(step, data.count)
            try await pace?.wait(for: part.count)
            try pass(.bytes(try await reader.read(part), at: part.lowerBound))
            data = part.upperBound..<data.upperBound
          }
          if !hole.isEmpty {
            try pass(.zeros(hole))
            // That may have taken long, as into a pipe.
            try await holes?.check(hole, of: reader.source)
          }
          rest = hole.upperBound..<rest.upperBound
        }
      }
    }
  }
}
#endif
