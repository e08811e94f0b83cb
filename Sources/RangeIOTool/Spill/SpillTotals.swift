#if Tool
import RangeIO
import RangeIOSpillInspection
import RangeIOTiers

/// The facts that `rangeio spill stats` prints.
struct SpillTotals {
  let path: String
  let root: SpillRoot.Reading
  let survey: SpillSurvey
  let freeBytes: Int
  let privateDirectories: Int

  private var blocks: Int { survey.sources.reduce(0) { $0 + $1.blocks } }
  private var plainBlocks: Int { survey.sources.reduce(0) { $0 + $1.plainBlocks } }
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
      ["as they are", Figures.count(plainBlocks)],
      ["compressed", Figures.count(blocks - plainBlocks)],
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
      if root.isEncrypted {
        rows.append(["encrypted", "\(Figures.count(survey.encrypted, "segment")), which only its keys open"])
      }
    }
    rows += [
      ["private directories", Figures.count(privateDirectories)],
      ["not believed", Figures.count(survey.unbelieved, "file")],
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
      "codecRatio": .number(codecRatio), "plainBlocks": .integer(plainBlocks),
      "oldestBirth": survey.births.map { .integer(Int($0.lowerBound)) } ?? .null,
      "newestBirth": survey.births.map { .integer(Int($0.upperBound)) } ?? .null,
      "encryptedSegments": .integer(survey.encrypted), "unbelieved": .integer(survey.unbelieved),
      "privateDirectories": .integer(privateDirectories),
      "freeBytes": .integer(freeBytes),
    ])
  }
}

/// The facts that `rangeio spill verify` prints.
struct SpillVerdict {
  let path: String
  let found: SpillVerification

  /// The most damages shown to people.
  private static let maxShown = 20

  /// Why the command fails, if something is damaged.
  var complaint: String? {
    guard found.damaged > 0 else { return nil }
    let places = found.damaged == 1 ? "one place is" : "\(Figures.count(found.damaged)) places are"
    return "\(path): \(places) damaged; a cache skips damaged blocks, and reads the source instead"
  }

  var text: String {
    let facts = Table(
      columns: [.left, .left],
      rows: [
        ["segments", "\(Figures.count(found.segments)), \(Figures.count(found.sealedSegments)) of them sealed"],
        [
          "records",
          "\(Figures.count(found.records)), \(Figures.count(found.chunks)) of them chunks, "
            + Figures.count(found.tombstones, "tombstone"),
        ],
        ["bytes", "\(Figures.size(found.recordBytes)), chunks decode to \(Figures.size(found.decodedBytes))"],
        ["encrypted", "\(Figures.count(found.encryptedSegments, "segment")), of which only sums were compared"],
        ["unknown codecs", Figures.count(found.unknownCodecs)],
        ["not finished", Figures.count(found.unfinished)],
        ["left over", Figures.count(found.leftovers)],
        ["damaged", Figures.count(found.damaged)],
        ["verdict", found.damaged == 0 ? "OK: every sum is right" : "DAMAGED"],
      ]
    ).text
    return (["\(Complaint.oneLine(path)):", facts] + (found.damages.isEmpty ? [] : [damages])).joined(separator: "\n\n")
  }

  private var damages: String {
    var rows = [["segment", "at", "what is wrong"]]
    rows += found.damages.prefix(Self.maxShown).map { damage in
      [damage.segment.map { Figures.segment($0) } ?? "store", Figures.count(damage.offset), damage.reason]
    }
    let rest = found.damaged - min(found.damages.count, Self.maxShown)
    let more = rest > 0 ? "\n… and \(Figures.count(rest)) more (--json shows \(SpillVerification.maxDamages))" : ""
    return Table(columns: [.left, .right, .left], rows: rows).text + more
  }

  var json: JSON {
    .object([
      "directory": .string(path), "segments": .integer(found.segments),
      "sealedSegments": .integer(found.sealedSegments),
      "encryptedSegments": .integer(found.encryptedSegments), "leftovers": .integer(found.leftovers),
      "records": .integer(found.records), "chunks": .integer(found.chunks), "tombstones": .integer(found.tombstones),
      "unknownCodecs": .integer(found.unknownCodecs), "recordBytes": .integer(found.recordBytes),
      "storedBytes": .integer(found.storedBytes), "decodedBytes": .integer(found.decodedBytes),
      "unfinished": .integer(found.unfinished), "damaged": .integer(found.damaged), "isOK": .bool(found.damaged == 0),
      "damages": .array(
        found.damages.map { damage in
          .object([
            "segment": damage.segment.map { .string(Figures.segment($0)) } ?? .null,
            "offset": .integer(damage.offset), "reason": .string(damage.reason),
          ])
        }),
    ])
  }
}
#endif
