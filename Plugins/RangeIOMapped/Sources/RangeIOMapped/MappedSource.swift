internal import CRangeIOMapped
public import RangeIO
public import SystemPackage

/// Reads a regular file that is mapped into memory. Reads return slices of the page cache itself, without a copy.
///
/// ```swift
/// let reader = try await RangeReader(MappedSource("/data/tiles.bin"))
/// let tile = try await reader.read(range)      // no copy, however large
/// ```
///
/// Use it for large reads of your own files that do not change: an index, a model, a map. For everything else use
/// `FileSource`, which copies and cannot end the process.
///
/// **SIGBUS.** If a file becomes shorter, the mapped pages past its new end are gone, also those of slices that you
/// already have. Touching such a page raises the signal `SIGBUS`, which ends the process; no Swift code can catch it.
/// The same happens when a page must be read again and the disk fails. So:
///
/// - *A read itself never raises it.* A read loads the pages of its range before it returns them (`MADV_POPULATE_READ`;
///   if that is missing, by reading them through the descriptor). A problem that would be a signal is then a
///   `ReadError`: `sourceChanged` for a file that became shorter, `inputOutput` for a disk that fails.
/// - *A slice that you hold can raise it*, if any process makes the file shorter while you hold the slice. Nothing on
///   Linux or macOS prevents that for a regular file. Map only files that are not truncated. Files that are replaced by
///   `rename` are safe, because the old file stays whole as long as it is mapped.
/// - *`Slices.copied`* never touches the mapped memory, and so cannot raise it.
///
/// **Versions** work as in `FileSource`, and are checked after the pages have been loaded: with another size or
/// modification time, reads throw `ReadError.Code.sourceChanged`. Do not map a file that grows: readers with `.follow`
/// are refused. A slice shows what the file contains *now*: if the file is written in place, slices that you already
/// have show the new bytes.
///
/// **Caches.** A `Caching` stage gets copies, checked after they were made, never mapped memory.
///
/// **Lifetime.** A mapping is released with its last slice, even after ``close()``, and not before.
public final class MappedSource: RangeSource {
  struct State {
    var file: MappedFile?
    /// How many times another file has taken its place.
    var generation = 0
    /// The last description, returned again as long as nothing changes.
    var described: SourceDescription?
    var isClosed = false
  }

  let path: FilePath
  let configuration: Configuration
  let state = Guarded(State())
  let counts = MappedCounts()

  /// The file at `path`. The first use opens it, not this initializer: a relative path starts from the current
  /// directory at that moment, also when the path is checked again later.
  public init(_ path: FilePath, configuration: Configuration = Configuration()) {
    self.path = path
    self.configuration = configuration
  }

  /// The file at `path`, in which `~` has no special meaning. The first use opens it, not this initializer.
  public convenience init(_ path: String, configuration: Configuration = Configuration()) {
    // The part after a NUL would be left out. No file has such a name.
    self.init(path.utf8.contains(0) ? FilePath() : FilePath(path), configuration: configuration)
  }

  /// Opens the file if it is not open, and checks its status.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, a device, a
  ///   file whose contents the kernel generates), `resourcesExhausted`, `inputOutput`, `invalidConfiguration` or
  ///   `closed`.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    try await look()
  }

  /// Checks what the path leads to now. If that is another file than the open one, maps it from now on. If there is no
  /// file, keeps reading the open one. Slices of the old file stay valid.
  ///
  /// - Throws: as ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    guard let file = try openFile(), let found = try await statusByName(file), !file.isOf(found) else {
      return try await look()
    }
    let new = try await openAnew(after: file)
    // It may have changed back in between.
    guard let after = new.statusAtOpening, !file.isOf(after) else { return try await look() }
    let old = try state.withLock { state in
      guard !state.isClosed else { throw Self.closed }
      defer { (state.file, state.described) = (new, nil) }
      state.generation += 1
      return state.file
    }
    // Reads in progress keep a reference to the old file. It is closed with the last of them, and not under the lock.
    withExtendedLifetime(old) {}
    announce(new)
    return try await describe()
  }

  /// The bytes of `range`: mapped memory or a copy, depending on ``Configuration/slices``.
  ///
  /// If pages are not in memory, waits for them on the plugin's own threads.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted`, `unsupportedSource` (a file
  ///   system that cannot map) or `closed`.
  /// - Complexity: for pages in memory, two system calls plus one for each 16 MiB, and O(pages) in the kernel.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let (file, version) = try opened(source)
    let bytes = try await bytes(of: range, file, version, here: range.count)
    try await check(version, after: range, file)
    return bytes
  }

  /// The bytes of several ranges. One check of the file's version covers all of them.
  ///
  /// - Throws: as ``read(_:of:)-(ByteRange,_)``.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    let (file, version) = try opened(source)
    var all: [Bytes] = []
    all.reserveCapacity(ranges.count)
    var here = 0
    for range in ranges {
      try Task.checkCancellation()
      here += range.count
      all.append(range.isEmpty ? Bytes() : try await bytes(of: range, file, version, here: here))
    }
    if let last = ranges.last { try await check(version, after: last, file) }
    return all
  }

  /// The bytes of `range` for a cache. Always a copy: the cache would keep mapped memory, and would copy it only after
  /// the file was compared with its version.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    let (file, version) = try opened(source)
    let whole = try await copy(of: range, file, here: range.count)
    try await check(version, after: range, file)
    return grid.pieces(of: range).map { _, part in
      whole[part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound]
    }
  }

  /// A copy of `range` for a cache, if the page cache has all of it and the file has not changed. On Linux only.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    // A longer copy would keep the caller's actor busy for longer than a task costs.
    // `try?`: the read that follows reports any problem.
    guard range.count <= Self.mostCopiedHere, let (file, version) = try? opened(source), !file.isRemote,
      let bytes = file.copyOfResident(range), let status = try? file.status(), file.isStill(version, status)
    else { return nil }
    counts.copied.add(bytes.count)
    return bytes
  }

  /// Makes the kernel begin to read a range that will be needed. For a range that is no longer needed it does nothing,
  /// because others may hold slices of it.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    switch advice {
    case .willRead: advise(.willNeed(range))
    case .discard: break
    }
  }

  /// Tells the kernel how you will read the file from now on, or which part of it soon. Does not wait.
  ///
  /// Has no effect before the source is opened and after it is closed.
  public func advise(_ pattern: AccessPattern) {
    // `try?`: if the source is closed, there is nothing to do.
    guard let file = try? openFile() else { return }
    guard !file.isRemote else { return file.queues.submit { [self] in advise(pattern, file) } }
    advise(pattern, file)
  }

  private func advise(_ pattern: AccessPattern, _ file: MappedFile) {
    if case .willNeed = pattern, let end = state.withLock({ $0.described?.byteCount }), end > 0 {
      // There may have been no read yet, and so no mapping. If mapping fails, the read that needs it reports the error.
      _ = try? file.mapping(covering: end, of: end)
    }
    file.advise(pattern)
  }

  /// Reads and bytes returned as `mapped` memory, and those `copied`.
  public func statistics() -> [ReadCounts] {
    [counts.mapped.lane("mapped"), counts.copied.lane("copied")]
  }

  /// Closes the file. Its mapping is released with the last slice.
  public nonisolated(nonsending) func close() async {
    let file = state.withLock { state in
      defer { (state.file, state.described, state.isClosed) = (nil, nil, true) }
      return state.file
    }
    await file?.closed()
  }
}
