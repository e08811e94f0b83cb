/// Runs all contenders in all cells, round by round.
struct Tournament: Sendable {
  /// All samples of one contender in one cell.
  struct Series: Sendable {
    let cell: Cell
    let name: Contender.Name
    let configuration: String
    var samples: [Sample] = []
  }

  let laboratory: Laboratory
  let contenders: [Contender]
  let cells: [Cell]
  let progress: Progress

  /// The series of each cell, in the order of `cells` and `contenders`.
  func run() async throws -> [[Series]] {
    var fields: [[Entrant]] = []
    for cell in cells {
      progress.show("choosing configurations: \(cell.id)")
      var field: [Entrant] = []
      for contender in contenders {
        if let entrant = try await laboratory.entrant(contender, cell) { field.append(entrant) }
      }
      fields.append(field)
    }
    var series = zip(cells, fields).map { cell, field in
      field.map { Series(cell: cell, name: $0.name, configuration: $0.variant.label) }
    }
    for round in 0..<laboratory.settings.rounds {
      for (index, cell) in cells.enumerated() where round < cell.mostRounds {
        progress.show("round \(round + 1) of \(laboratory.settings.rounds): \(cell.id)")
        for position in Self.order(fields[index].count, round: round) {
          let entrant = fields[index][position]
          series[index][position].samples.append(
            try await laboratory.repeated(entrant.variant, cell, entrant.reads, seed: UInt64(round) + 2))
        }
      }
    }
    progress.clear()
    return series
  }

  /// Who comes when: another one begins each round, and every second round goes backwards, so that nobody always runs
  /// after the same other.
  static func order(_ count: Int, round: Int) -> [Int] {
    let rotated = (0..<count).map { ($0 + round) % count }
    return round % 2 == 0 ? rotated : rotated.reversed()
  }
}
