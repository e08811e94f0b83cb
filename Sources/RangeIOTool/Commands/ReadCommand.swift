import ArgumentParser
import RangeIO

/// `rangeio read`: prints some bytes of a source, or all.
struct ReadCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Write a range of a file or URL to standard output or to another file.",
    discussion: """
      Numbers of bytes may have a unit: 4096, 64KiB or 64K (65,536), 1.5GiB, 64KB (64,000).
      """)

  @Argument(help: "The file or URL to read.", completion: .file())
  var source: String

  @Option(
    // So that `-100`, the last 100 bytes, is parsed as a value.
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The bytes to read, counted from zero: A...B or A-B with the last byte, 'A..<B' without it, A... or A- to the end, -N the last N bytes. In a shell quote what has a <. May be repeated: the ranges are written one after the other.",
      valueName: "range"))
  var range: [String] = []
  @Option(parsing: .unconditional, help: "The first byte to read; with --length.")
  var offset: String?
  @Option(parsing: .unconditional, help: "The number of bytes to read; with --offset.")
  var length: String?
  @Option(parsing: .unconditional, help: "Read so many bytes at the end; all, if there are fewer.")
  var suffix: String?
  @Option(
    help: ArgumentHelp(
      "Write to this file. It appears when it is complete. '-' is standard output.", valueName: "file"),
    completion: .file())
  var output: String?
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(help: "Replace the output file if it exists; write binary to a terminal.")
  var force = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: StatsOption

  func run() async throws {
    let selections = try Selection.all(ranges: range, offset: offset, length: length, suffix: suffix)
    if output == "" { throw ToolFailure.usage("--output: the name is empty") }
    let name = SourceName(source)
    let options = OpeningOptions(
      remote: try remote.checked(for: name, patience), engine: try engine.engine(for: name))
    let copying = Copying(source: name, selections: selections, options: options, growing: growing, force: force)
    if let output, output != "-" {
      try await copying.toFile(output)
    } else {
      try await copying.toStandardOutput()
    }
  }
}

/// `rangeio cat`: prints all bytes of a source.
struct CatCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write a whole file or URL to standard output.",
    discussion: """
      With --follow it goes on with what is added, until it is interrupted: a log, a recording, an append blob. If what was \
      there changes, it ends with an error.
      """)

  @Argument(help: "The file or URL to read.", completion: .file())
  var source: String
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(help: "Go on with what is added to the file or the object.")
  var follow = false
  @Flag(help: "Write binary to a terminal.")
  var force = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: StatsOption

  func run() async throws {
    let name = SourceName(source)
    var options = OpeningOptions(
      remote: try remote.checked(for: name, patience), engine: try engine.engine(for: name))
    options.follows = follow
    let copying = Copying(
      source: name, selections: [.whole], options: options, growing: growing || follow, force: force)
    try await copying.toStandardOutput()
  }
}

/// Copies selections of a source to its destination, one after the other, in bounded memory.
struct Copying {
  let source: SourceName
  let selections: [Selection]
  var options: OpeningOptions
  /// The file may grow in the meantime. The copy covers what the file has when it is opened.
  let growing: Bool
  let force: Bool

  init(source: SourceName, selections: [Selection], options: OpeningOptions, growing: Bool, force: Bool) {
    (self.source, self.selections, self.options) = (source, selections, options)
    (self.growing, self.force) = (growing, force)
    if let first = selections.first { self.options.opening = first.opening }
    let isWhole = selections == [.whole] && !options.follows
    (self.options.readsAll, self.options.needsNoSize) = (isWhole, isWhole)
  }

  private var growth: Growth { growing ? .followed : .refused }

  /// Copies to standard output.
  func toStandardOutput() async throws {
    try await opening(orAll: all { try StandardOutput(force: force).write($0) }) { reader, holes in
      if !source.isURL { try SourceGuard.checkStandardOutput(isNotFileAt: source.text) }
      let output = StandardOutput(force: force)
      try await copy(reader, holes, showsProgress: StandardOutputKind.isRegularFile) { part in
        switch part {
        case .bytes(let bytes): try output.write(bytes)
        case .zeros(let count): try output.writeZeros(count)
        }
      }
    }
  }

  /// Copies to the file at `path`, which appears only when it is complete.
  func toFile(_ path: String) async throws {
    let path = try PathArgument.path(path, for: "--output")
    try await opening(orAll: all(to: path)) { reader, holes in
      try await SourceGuard.check(path, isNot: reader.source)
      var output = try OutputFile.create(path, force: force)
      try await copy(reader, holes, showsProgress: true) { part in
        switch part {
        case .bytes(let bytes): try output.write(bytes)
        case .zeros(let count): try output.writeZeros(count)
        }
      }
      try output.finish()
    }
  }

  /// The next part of the output.
  private enum Part {
    case bytes(Bytes)
    /// So many zeros: a hole of the source.
    case zeros(Int)
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
  private func all(_ write: @escaping (Bytes) throws -> Void) -> ((OpenedSource.ReadAll) async throws -> Void)? {
    guard selections == [.whole], !options.follows else { return nil }
    return { readAll in _ = try await readAll(write) }
  }

  /// Copies all bytes to the file at `path`, once; `nil` unless all are selected.
  func all(to path: String) -> ((OpenedSource.ReadAll) async throws -> Void)? {
    guard selections == [.whole] else { return nil }
    return { readAll in
      var output = try OutputFile.create(path, force: force)
      _ = try await readAll { try output.write($0) }
      try output.finish()
    }
  }

  private func copy(
    _ reader: RangeReader, _ holes: FileHoles?, showsProgress: Bool, to write: (Part) throws -> Void
  ) async throws {
    if options.follows {
      for try await piece in reader.stream(following: 0..., chunkSize: .kibibytes(64)) { try write(.bytes(piece)) }
      return
    }
    try await tellingOfSilence(of: source, { reader.statistics().source }) {
      try await copyAll(reader, holes, showsProgress: showsProgress, to: write)
    }
  }

  private func copyAll(
    _ reader: RangeReader, _ holes: FileHoles?, showsProgress: Bool, to write: (Part) throws -> Void
  ) async throws {
    let total = selections.reduce(0) { sum, selection in
      let (total, overflow) = sum.addingReportingOverflow(
        min(selection.range(in: reader.byteCount).count, reader.byteCount))
      return overflow ? .max : total
    }
    var progress = Progress(
      source.shown, total: total, isShown: showsProgress && StandardError.isTerminal)
    defer { progress.clear() }
    // Over a slow link small pieces come earlier.
    let chunkSize = source.isURL ? ByteCount.kibibytes(64) : .mebibytes(1)
    func pass(_ stream: ByteStream) async throws {
      for try await piece in stream {
        try write(.bytes(piece))
        progress.advance(piece.count)
      }
    }
    for selection in selections {
      var rest = selection.range(in: reader.byteCount)
      // What does not lie within the source is the stream's to refuse.
      guard let holes, !rest.isEmpty, rest.upperBound <= reader.byteCount else {
        try await pass(selection.stream(of: reader, chunkSize: chunkSize))
        continue
      }
      while !rest.isEmpty {
        let found = try await holes.next(in: rest, of: reader.source)
        for hole in found.holes + [found.end..<found.end] {
          if rest.lowerBound < hole.lowerBound {
            try await pass(reader.stream(rest.lowerBound..<hole.lowerBound, chunkSize: chunkSize))
          }
          if !hole.isEmpty {
            try write(.zeros(hole.count))
            // That may have taken long, as into a pipe.
            try await holes.check(hole, of: reader.source)
          }
          progress.advance(hole.count)
          rest = hole.upperBound..<rest.upperBound
        }
      }
    }
  }
}
