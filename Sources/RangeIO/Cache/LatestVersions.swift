import CRangeIOSystem

/// The version that each of a few groups of threads asked for last, with its token: threads that read through one cache do not
/// meet at the lock of ``VersionsBeingRead``. Changed under that lock, and looked at without.
///
/// Gains two writes to a line that all misses share. Made once two threads have met: most caches are read by one at a time.
final class LatestVersions: @unchecked Sendable {
  // Unchecked: memory with values that are accessed only under their locks, freed with this object.
  private struct Latest {
    var source: SourceDescription?
    var token: ChunkToken?
  }
  private static let count = 8
  /// Two cache lines: processors fetch lines in pairs.
  private static let stride = 128

  private let base = UnsafeMutableRawPointer.allocate(byteCount: count * stride, alignment: stride)

  init() {
    for index in 0..<Self.count {
      (base + index * Self.stride).bindMemory(to: Locked<Latest>.self, capacity: 1).initialize(to: Locked(Latest()))
    }
  }

  deinit {
    for index in 0..<Self.count { place(index).deinitialize(count: 1) }
    base.deallocate()
  }

  private func place(_ index: Int) -> UnsafeMutablePointer<Locked<Latest>> {
    (base + index * Self.stride).assumingMemoryBound(to: Locked<Latest>.self)
  }

  private var own: UnsafeMutablePointer<Locked<Latest>> { place(Int(rio_thread_number()) & (Self.count - 1)) }

  /// The token of exactly this snapshot, if a thread of this group asked for it last.
  func token(of source: SourceDescription, _ grid: BlockGrid) -> ChunkToken? {
    own.pointee.withLock { latest in
      guard latest.source === source, let token = latest.token, token.isAlive, token.grid == grid else { return nil }
      return token
    }
  }

  func note(_ source: SourceDescription, _ token: ChunkToken) {
    let old = own.pointee.withLock { latest in
      defer { latest = Latest(source: source, token: token) }
      return latest
    }
    // Released outside of the lock.
    withExtendedLifetime(old) {}
  }

  func forget() {
    for index in 0..<Self.count {
      let old = place(index).pointee.withLock { latest in
        defer { latest = Latest() }
        return latest
      }
      withExtendedLifetime(old) {}
    }
  }
}
