import Foundation
import RangeIO

extension Section {
  /// Stores on disk.
  static func spill(_ cells: [Cell], in directory: URL) -> Section {
    let topics = cells.compactMap(\.spillTopic)
    let directory = directory.appendingPathComponent("range-io-spill")
    return Section(cells: cells) { _, progress in
      progress.show("making blocks")
      try BenchmarkFile.requireSpace(16 * SpillTopic.byteCount, in: directory.deletingLastPathComponent())
      // Whatever a run left that was interrupted.
      let root = try SpillDirectory(empty: directory)
      var blocks: [Int: [Bytes]] = [:]
      for topic in topics {
        guard case .write(let size, _) = topic, blocks[size] == nil else { continue }
        blocks[size] = try SpillData(size: size).blocks(0..<topic.blocks)
      }
      var contenders: [Contender] = []
      for contender in SpillContender.all {
        contenders.append(try await SpillTrials(contender, topics, blocks, in: directory, progress).entry)
      }
      contenders += try SpillFloors(topics, blocks, in: directory, progress).contenders
      // It closes after all others.
      contenders[contenders.endIndex - 1].close = { try root.remove() }
      return contenders
    }
  }
}
