import Foundation

extension Section {
  /// The sections of the cache.
  static func cache(_ cells: [Cell], in directory: URL) -> [Section] {
    let hits = cells.filter { $0.storedBlocks != nil }
    let misses = cells.filter { cell in
      switch cell.topic {
      case .misses, .stampede, .churn: true
      default: false
      }
    }
    let fileMisses = cells.filter { $0.topic == .fileMisses }
    let defaults = cells.filter { $0.topic == .defaults }
    let pipeline = cells.filter { $0.topic == .pipelineHits || $0.topic == .pipelineCold }
    let cancel = cells.filter { $0.topic == .cancel }
    let tiers = cells.filter { cell in
      switch cell.topic {
      case .compressedHits, .demotion, .tail: true
      default: false
      }
    }
    return [
      Section(cells: hits, file: fileSize(hits)) { try await HitContenders.make(hits, $0, in: directory, $1) },
      Section(cells: misses) { _, progress in
        progress.show("filling stores")
        return try await MissContenders.make(misses) + StampedeContenders.make() + ChurnContenders.make(misses)
      },
      Section(cells: fileMisses, file: .standard) { file, _ in
        guard let file else { return [] }
        return try await MissContenders.make(file)
      },
      Section(cells: defaults, file: fileSize(defaults)) { file, progress in
        guard let file else { return [] }
        progress.show("filling the default store")
        return try await DefaultContenders.make(file)
      },
      Section(cells: pipeline, file: .standard) { file, progress in
        guard let file else { return [] }
        progress.show("filling the stores of pipelines")
        return try await PipelineContenders.make(file)
      },
      Section(cells: cancel) { _, _ in try await CancelContenders.make() },
      Section(cells: tiers) { _, progress in
        progress.show("compressing blocks")
        return try TierContenders.make(tiers)
      },
    ].filter { !$0.cells.isEmpty }
  }

  /// The smallest file that has room for what `cells` read.
  private static func fileSize(_ cells: [Cell]) -> BenchmarkFile.Size {
    cells.compactMap(\.extent).max() ?? 0 <= BenchmarkFile.Size.standard.rawValue ? .standard : .millionBlocks
  }
}
