import RangeIO

/// The facts that `rangeio spill verify` prints.
struct SpillVerdict {
  let path: String
  let found: SpillVerification

  /// The most damages shown to people.
  private static let mostShown = 20

  /// Why the command fails, if something is damaged.
  var complaint: String? {
    guard found.damaged > 0 else { return nil }
    let places = found.damaged == 1 ? "one place is" : "\(Figures.count(found.damaged)) places are"
    return "\(path): \(places) damaged; a cache passes over what is, and reads the source instead"
  }

  var text: String {
    let facts = Table(
      columns: [.left, .left],
      rows: [
        ["segments", "\(Figures.count(found.segments)), \(Figures.count(found.sealedSegments)) of them sealed"],
        [
          "records",
          "\(Figures.count(found.records)), \(Figures.count(found.chunks)) of them chunks, "
            + "\(Figures.count(found.tombstones)) tombstones",
        ],
        ["bytes", "\(Figures.size(found.recordBytes)), chunks decode to \(Figures.size(found.decodedBytes))"],
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
    rows += found.damages.prefix(Self.mostShown).map { damage in
      [damage.segment.map { Figures.segment($0) } ?? "store", Figures.count(damage.offset), damage.reason]
    }
    let rest = found.damaged - min(found.damages.count, Self.mostShown)
    let more = rest > 0 ? "\n… and \(Figures.count(rest)) more (--json shows \(SpillVerification.mostDamages))" : ""
    return Table(columns: [.left, .right, .left], rows: rows).text + more
  }

  var json: JSON {
    .object([
      "directory": .string(path), "segments": .integer(found.segments),
      "sealedSegments": .integer(found.sealedSegments), "leftovers": .integer(found.leftovers),
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
