/// The version that each of a few groups of threads asked for last, with its token: threads that read through one cache do not
/// meet at the lock of ``VersionsBeingRead``. Changed under that lock, and looked at without.
///
/// Gains two writes to a line that all misses share. Made once two threads have met: most caches are read by one at a time.
final class LatestVersions: Sendable {
  private struct Latest {
    var source: SourceDescription?
    var token: ChunkToken?
  }
  private let latest = ThreadGroups(Latest())

  /// The token of exactly this snapshot, if a thread of this group asked for it last.
  func token(of source: SourceDescription, _ grid: BlockGrid) -> ChunkToken? {
    latest.withOwn { latest in
      guard latest.source === source, let token = latest.token, token.isAlive, token.grid == grid else { return nil }
      return token
    }
  }

  func note(_ source: SourceDescription, _ token: ChunkToken) {
    let old = latest.withOwn { latest in
      defer { latest = Latest(source: source, token: token) }
      return latest
    }
    // Released outside of the lock.
    withExtendedLifetime(old) {}
  }

  func forget() { _ = latest.replaceAll(by: Latest()) }
}
