import RangeIO

/// The facts that `rangeio spill stats` prints.
struct SpillTotals {
  let path: String
  let root: SpillRoot.Reading
  let survey: SpillSurvey
  let freeBytes: Int
  let privateDirectories: Int

  private var blocks: Int { survey.sources.reduce(0) { $0 + $1.blocks } }
  private var storedBytes: Int { survey.sources.reduce(0) { $0 + $1.storedBytes } }
  private var decodedBytes: Int { survey.sources.reduce(0) { $0 + $1.decodedBytes } }
  private var allocatedBytes: Int { survey.segments.reduce(0) { $0 + $1.allocatedBytes } }
  private var liveBytes: Int { survey.segments.reduce(0) { $0 + $1.liveBytes } }
  /// Bytes of the sources per byte stored.
  private var codecRatio: Double { storedBytes == 0 ? 1 : Double(decodedBytes) / Double(storedBytes) }
  private var liveShare: Double { Double(liveBytes) / Double(max(1, survey.segments.reduce(0) { $0 + $1.byteCount })) }

  var text: String {
    var rows = [
      ["sources", Figures.count(survey.sources.count)],
      ["blocks", Figures.count(blocks)],
      ["segments", Figures.count(survey.segments.count)],
      ["on the disk", "\(Figures.size(allocatedBytes)), \(Figures.percent(liveShare)) of it found"],
      ["stored", Figures.size(storedBytes)],
      ["decoded", "\(Figures.size(decodedBytes)), \(Figures.decimal(codecRatio, places: 2)) times as much"],
      ["oldest block", survey.births.map { Figures.date($0.lowerBound) } ?? "–"],
      ["newest block", survey.births.map { Figures.date($0.upperBound) } ?? "–"],
    ]
    if case .good(let root) = root {
      rows.append(["epoch", "\(root.epoch)"])
      rows.append(["made", Figures.date(root.created)])
      rows.append(["when full", root.refusesWhenFull ? "what is new is refused" : "the oldest is dropped"])
    }
    rows += [
      ["private directories", Figures.count(privateDirectories)],
      ["not believed", "\(Figures.count(survey.unbelieved)) files"],
      ["free on the disk", Figures.size(freeBytes)],
    ]
    return "\(Complaint.oneLine(path)):\n\n" + Table(columns: [.left, .left], rows: rows).text
  }

  /// Times are nanoseconds since 1970.
  var json: JSON {
    var (epoch, created, refuses, id) = (JSON.null, JSON.null, JSON.null, JSON.null)
    if case .good(let root) = root {
      // As text: JSON readers may keep only 53 bits of a number.
      (id, epoch) = (.string(Figures.segment(root.directoryID)), .string("\(root.epoch)"))
      (created, refuses) = (.integer(Int(root.created)), .bool(root.refusesWhenFull))
    }
    return .object([
      "directory": .string(path), "id": id, "epoch": epoch, "created": created, "refusesWhenFull": refuses,
      "sources": .integer(survey.sources.count), "blocks": .integer(blocks),
      "segments": .integer(survey.segments.count), "allocatedBytes": .integer(allocatedBytes),
      "liveBytes": .integer(liveBytes), "storedBytes": .integer(storedBytes), "decodedBytes": .integer(decodedBytes),
      "codecRatio": .number(codecRatio),
      "oldestBirth": survey.births.map { .integer(Int($0.lowerBound)) } ?? .null,
      "newestBirth": survey.births.map { .integer(Int($0.upperBound)) } ?? .null,
      "unbelieved": .integer(survey.unbelieved), "privateDirectories": .integer(privateDirectories),
      "freeBytes": .integer(freeBytes),
    ])
  }
}
