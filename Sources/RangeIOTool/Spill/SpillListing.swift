#if Tool
import RangeIO
import RangeIOSpillInspection
import RangeIOTiers

/// The facts that `rangeio spill list` prints.
struct SpillListing {
  let path: String
  let survey: SpillSurvey
  let showsSegments: Bool

  var text: String {
    var parts = [
      "\(Complaint.oneLine(path)): \(Figures.count(survey.sources.count, "source")) in "
        + Figures.count(survey.segments.count, "segment")
    ]
    if survey.encrypted > 0 {
      parts.append(
        "\(Figures.count(survey.encrypted, "segment")) encrypted: only a program with the keys can list them")
    }
    if !survey.sources.isEmpty { parts.append(sources) }
    if showsSegments, !survey.segments.isEmpty { parts.append(segments) }
    return parts.joined(separator: "\n\n")
  }

  private var sources: String {
    var rows = [["", "", "block", "", "on the", "", "", ""]]
    rows.append(["source", "size", "size", "blocks", "disk", "decoded", "cached", "version"])
    rows += survey.sources.map { source in
      [
        Complaint.oneLine(source.name), Figures.size(source.byteCount), ByteCount.bytes(source.blockSize).description,
        Figures.count(source.blocks), Figures.size(source.storedBytes), Figures.size(source.decodedBytes),
        Figures.percent(source.cachedShare),
        // The end, which differs between versions. JSON has all of it.
        TerminalText.suffix(Bytes(source.version).hex, columns: 17),
      ]
    }
    return Table(columns: [.left] + Array(repeating: .right, count: 6) + [.left], rows: rows).text
  }

  private var segments: String {
    var rows = [["segment", "size", "state", "chunks", "tombstones", "live", "damaged"]]
    rows += survey.segments.map { segment in
      [
        Figures.segment(segment.number), Figures.size(segment.byteCount), segment.isSealed ? "sealed" : "open",
        Figures.count(segment.chunks), Figures.count(segment.tombstones), Figures.percent(segment.liveShare),
        Figures.count(segment.damaged),
      ]
    }
    return Table(columns: [.left, .right, .left, .right, .right, .right, .right], rows: rows).text
  }

  var json: JSON {
    let sources = JSON.array(survey.sources.map(\.json))
    guard showsSegments else { return .object(["directory": .string(path), "sources": sources]) }
    return .object([
      "directory": .string(path), "sources": sources, "segments": .array(survey.segments.map(\.json)),
    ])
  }
}

extension SpillSurvey.Source {
  /// The share of the source that is on the disk.
  var cachedShare: Double { Double(decodedBytes) / Double(max(1, byteCount)) }

  fileprivate var json: JSON {
    .object([
      "name": .string(name), "id": .string(id), "byteCount": .integer(byteCount),
      "version": .string(Bytes(version).hex),
      "blockSize": .integer(blockSize), "blocks": .integer(blocks), "storedBytes": .integer(storedBytes),
      "decodedBytes": .integer(decodedBytes), "cachedShare": .number(cachedShare),
    ])
  }
}

extension SpillSurvey.Segment {
  /// The share of the file that a cache would find.
  var liveShare: Double { Double(liveBytes) / Double(max(1, byteCount)) }

  fileprivate var json: JSON {
    .object([
      "number": .string(Figures.segment(number)), "byteCount": .integer(byteCount),
      "allocatedBytes": .integer(allocatedBytes), "isSealed": .bool(isSealed), "chunks": .integer(chunks),
      "tombstones": .integer(tombstones), "damaged": .integer(damaged), "liveBytes": .integer(liveBytes),
      "liveShare": .number(liveShare),
    ])
  }
}

/// Inspects a spill directory. Shows progress on a terminal, and reports errors under the name that the user gave.
struct SpillLook {
  let inspection: SpillInspection

  init(_ path: String) throws { inspection = try Self.told(path) { try SpillInspection(path) } }

  /// Lists what a cache would find.
  func survey() throws -> SpillSurvey {
    try withProgress("listing", showsRate: false) { try inspection.survey(progress: $0) }
  }

  /// Checks that everything is as it was written.
  func verify() throws -> SpillVerification {
    try withProgress("verifying", showsRate: true) { try inspection.verify(progress: $0) }
  }

  /// Runs `body`. Its errors are reported with the path of the directory.
  func told<Value>(_ body: () throws -> Value) throws -> Value { try Self.told(inspection.path, body) }

  /// Like the method of this name, for use before there is an inspection.
  static func told<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as ReadError { throw failure(error, path) }
  }

  static func failure(_ error: ReadError, _ path: String) -> ToolFailure {
    let status: ToolStatus =
      switch error.code {
      // A directory of another program is as useless as none.
      case .invalidConfiguration, .unsupportedFormat: .unusableSource
      default: ToolStatus(error.code)
      }
    // Nothing is chosen here.
    let message = ToolAdvice.translated(error.message).replacing(
      ": choose one that is empty, or a new one", with: ": no cache has kept anything in it; check the path")
    return ToolFailure("\(path): \(message)", status: status)
  }

  private func withProgress<Value>(
    _ label: String, showsRate: Bool, _ body: ((Int) throws -> Void) throws -> Value
  ) throws -> Value {
    try told {
      var progress = Progress(
        "\(label) \(Complaint.oneLine(inspection.path))", total: try inspection.byteCount(), showsRate: showsRate)
      defer { progress.clear() }
      return try body { count in
        try Task.checkCancellation()
        progress.advance(count)
      }
    }
  }
}
#endif
