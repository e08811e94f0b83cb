import Foundation
import RangeIO
import RangeIOTiers

/// One way to keep blocks on disk.
struct SpillContender: Sendable {
  let name: Contender.Name
  /// How it is configured.
  let label: String
  /// It takes part in these only.
  var takesPart: @Sendable (SpillTopic) -> Bool = { _ in true }
  /// The most blocks that a run may write, of those that would take minutes for all.
  var mostWrites = Int.max
  /// Opens the store in a directory that exists: empty, or as the same contender left it.
  let open: @Sendable (URL, SpillDurability) async throws -> any SpillPeer

  /// All that are stores, in the order of the tables.
  static let all: [SpillContender] = [
    rangeIO, rangeIOPlain, rangeIOAutomatic, tunedSQLite, mappedSQLite, tunedSQLiteBatch, untunedSQLite,
  ]

  private static let rangeIO = SpillContender(name: .rangeIO, label: "LZ4") { url, durability in
    try await SpillStorePeer(url, durability, codec: BuiltInCodec.lz4())
  }
  private static let rangeIOPlain = SpillContender(name: .spillIdentity, label: "not compressed") { url, durability in
    try await SpillStorePeer(url, durability, codec: BuiltInCodec.identity)
  }
  /// What the store has without a word about it.
  private static let rangeIOAutomatic = SpillContender(
    name: .spillAutomatic, label: "codec: .automatic",
    takesPart: { topic in
      if case .reopen = topic { false } else { true }
    }
  ) {
    try await SpillStorePeer($0, $1, codec: BuiltInCodec.automatic)
  }

  /// The name of its directories.
  var folder: String { name.rawValue.filter { $0.isLetter || $0.isNumber } }
}
