extension RangeReader {
  /// Waits until the source has bytes at `offset`, and reads none of them: for code that answers others with what it reads. To
  /// read them, use ``stream(following:chunkSize:until:)``, whose rules hold here too.
  ///
  /// ```swift
  /// while try await reader.waitForBytes(at: end, until: { await recorder.hasStopped }) { end = reader.byteCount }
  /// ```
  ///
  /// - Parameters:
  ///   - offset: the first byte to wait for, counted from the start of the source.
  ///   - isOver: called when there are no such bytes, and then about once per poll interval; returns whether the source
  ///     has stopped growing. Default: it never does.
  /// - Returns: `true` as soon as there are such bytes; ``byteCount`` then counts them. `false` if the source is over before.
  /// - Throws: `sourceChanged` for any change other than growth; `closed`; any error of the source or of `isOver`;
  ///   `CancellationError`.
  public nonisolated(nonsending) func waitForBytes(
    at offset: Int, until isOver: (@Sendable () async throws -> Bool)? = nil
  ) async throws -> Bool {
    do {
      return try await core.more(of: core.source, from: offset, isOver: isOver).version != nil
    } catch {
      throw core.failed(error)
    }
  }
}
