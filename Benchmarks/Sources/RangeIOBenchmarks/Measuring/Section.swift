import Foundation

/// Cells that are measured together: their contenders live at the same time and take turns.
struct Section: Sendable {
  let cells: [Cell]
  /// The file that they read, if they read one.
  var file: BenchmarkFile.Size?
  /// Makes the contenders, in the order of the tables, when the section's turn has come.
  let contenders: @Sendable (BenchmarkFile?, Progress) async throws -> [Contender]

  /// The series of each cell.
  func run(in directory: URL, _ settings: Settings, _ progress: Progress) async throws -> [[Tournament.Series]] {
    let file = try file.map { try BenchmarkFile($0, in: directory, progress: progress) }
    let laboratory = try Laboratory(file, settings)
    // Found out now, not after minutes: whether the page cache does as it is told.
    try laboratory.check(cells)
    let contenders = try await contenders(file, progress)
    let tournament = Tournament(laboratory: laboratory, contenders: contenders, cells: cells, progress: progress)
    let series: [[Tournament.Series]]
    do {
      series = try await tournament.run()
    } catch {
      progress.clear()
      for contender in contenders { try await contender.close() }
      throw error
    }
    for contender in contenders { try await contender.close() }
    return series
  }
}

extension Section {
  /// All sections that have some of `cells`, in the order in which they are measured.
  static func all(_ cells: [Cell], in directory: URL) -> [Section] {
    [files(cells)].filter { !$0.cells.isEmpty } + cache(cells, in: directory)
      + [spill(cells.filter { $0.spillTopic != nil }, in: directory)].filter { !$0.cells.isEmpty }
  }

  /// Reading files, without a cache.
  private static func files(_ cells: [Cell]) -> Section {
    Section(cells: cells.filter { $0.topic == nil }, file: .standard) { file, _ in
      guard let file else { return [] }
      var contenders = try await RangeIOPeer.contenders(file)
      contenders += try CPeers(file).contenders
      contenders.append(try DispatchIOPeer.contender(file))
      contenders.append(try await NIOFileSystemPeer.contender(file))
      contenders.append(FileHandlePeer.contender(file))
      contenders.append(try FileDescriptorPeer.contender(file))
      contenders.append(try MappedPeer(file).contender)
      contenders += Fio.contenders(file)
      return contenders
    }
  }
}
