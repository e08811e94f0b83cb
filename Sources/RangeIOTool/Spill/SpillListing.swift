import RangeIO

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
        Figures.percent(source.cachedShare), Figures.hexadecimal(source.version),
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
      "version": .string(Figures.hexadecimal(version)),
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
