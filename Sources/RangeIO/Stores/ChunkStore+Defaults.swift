// What a store need not write itself.

extension ChunkStore {
  /// Nothing: all is asked of ``lookUp(_:token:grid:)``.
  public func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? { nil }

  /// By the continuous clock of the system.
  public var now: ReadInstant { TimeSource.continuous.now }

  /// One of four turns that all stores of the process share which have none of their own.
  public nonisolated(nonsending) func enterUnreserved() async throws {
    try await UnreservedTurns.permits.enter(UnreservedTurns.nobodyCloses)
  }

  /// Ends the turn.
  public func leaveUnreserved() { UnreservedTurns.permits.leave() }
}

private enum UnreservedTurns {
  static let permits = Permits(4)
  static let nobodyCloses = WaitingList()
}
