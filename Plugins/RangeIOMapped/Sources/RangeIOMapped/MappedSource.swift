internal import CRangeIOMapped
public import RangeIO
public import SystemPackage

/// Reads a regular file that is mapped into memory: what it returns is the page cache itself, without a copy.
///
/// ```swift
/// let reader = try await RangeReader(MappedSource("/data/tiles.bin"))
/// let tile = try await reader.read(range)      // no copy, however large
/// ```
///
/// For large reads of files that are yours and stay as they are: an index, a model, a map. For everything else use
/// `FileSource`, which copies and cannot end the process.
///
/// **SIGBUS.** If a file is made shorter, mapped pages beyond its new end are gone, also those of slices that were handed
/// out before. Touching one raises the signal `SIGBUS`, which ends the process, and no Swift code can catch it.
/// The same happens when a page has to be read again and the disk fails. So:
///
/// - *A read itself never raises it.* The pages of a range are brought in before it is handed out
///   (`MADV_POPULATE_READ`; where that is missing, by reading them through the descriptor). What would be a signal is a
///   `ReadError` there: `sourceChanged` for a file that was made shorter, `inputOutput` for a disk that fails.
/// - *A slice you hold can*, if the file is made shorter meanwhile, by whomever. Nothing on Linux or macOS prevents that
///   for a regular file. Map files that are not truncated: those that are replaced by `rename` are safe, since the
///   old file stays whole as long as it is mapped.
/// - *`Slices.copied`* never touches the mapped memory, and so cannot raise it.
///
/// **Versions** are as `FileSource` has them, checked after the pages came in: another size or time of modification makes
/// reads throw `ReadError.Code.sourceChanged`. A file that grows is not for mapping: readers with `.follow` are refused. A
/// slice shows what the file holds *now*: writing in place shows through in slices that were handed out before.
///
/// **Caches.** A `Caching` stage gets copies, checked after they were made, never mapped memory.
///
/// **Lifetime.** A mapping goes with the last slice of it, also after ``close()``, and not before.
public final class MappedSource: RangeSource {
  struct State {
    var file: MappedFile?
    /// How often another file has taken its place.
    var generation = 0
    /// The description handed out last, to hand it out again while nothing changes.
    var described: SourceDescription?
    var isClosed = false
  }

  let path: FilePath
  let configuration: Configuration
  let state = Guarded(State())
  let counts = MappedCounts()

  /// The file at `path`. It is opened by the first use, not here: a relative path starts from the current directory at that
  /// moment, also when it is looked at again later.
  public init(_ path: FilePath, configuration: Configuration = Configuration()) {
    self.path = path
    self.configuration = configuration
  }

  /// The file at `path`, in which `~` has no special meaning. It is opened by the first use, not here.
  public convenience init(_ path: String, configuration: Configuration = Configuration()) {
    // What follows a NUL would be left out: such a name is nobody's.
    self.init(path.utf8.contains(0) ? FilePath() : FilePath(path), configuration: configuration)
  }

  /// Opens the file if it is not open, and looks at it.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, a device, a
  ///   file that the kernel makes up), `resourcesExhausted`, `inputOutput`, `invalidConfiguration` or `closed`.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    try await look()
  }

  /// Looks at what the path leads to now, and maps that from now on if it is another file than the one opened. Where it
  /// leads nowhere, that one is read on. Slices of the one before stay good.
  ///
  /// - Throws: as ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    guard let file = try openFile(), let found = try await statusByName(file), !file.isOf(found) else {
      return try await look()
    }
    let new = try await openAnew(after: file)
    // It may have changed back meanwhile.
    guard let after = new.statusAtOpening, !file.isOf(after) else { return try await look() }
    let old = try state.withLock { state in
      guard !state.isClosed else { throw Self.closed }
      defer { (state.file, state.described) = (new, nil) }
      state.generation += 1
      return state.file
    }
    // Whoever still reads the one before has hold of it; it closes with him, and not under the lock.
    withExtendedLifetime(old) {}
    announce(new)
    return try await describe()
  }

  /// The bytes of `range`: mapped memory, or a copy, as ``Configuration/slices`` says.
  ///
  /// Waits for pages that are not in memory, on threads of the plugin's own.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted`, `unsupportedSource` (a file system
  ///   that cannot map) or `closed`.
  /// - Complexity: for pages in memory two system calls and one more for each 16 MiB, and O(pages) of the kernel's.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let (file, version) = try opened(source)
    let bytes = try await bytes(of: range, file, version, here: range.count)
    try await check(version, after: range, file)
    return bytes
  }

  /// The bytes of several ranges. One look at the file's version covers all.
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

  /// The bytes of `range` for a cache: always copies, since it would keep mapped memory, and copy it after the file was
  /// compared with its version.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    let (file, version) = try opened(source)
    let whole = try await copy(of: range, file, here: range.count)
    try await check(version, after: range, file)
    return grid.pieces(of: range).map { _, part in
      whole.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
    }
  }

  /// A copy of `range`, if the page cache holds all of it and the file is as it was: for caches. On Linux only.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    // More would keep the caller's actor busy for longer than a task costs.
    // `try?`: what is wrong is told by the read that follows.
    guard range.count <= Self.mostCopiedHere, let (file, version) = try? opened(source), !file.isRemote,
      let bytes = file.copyOfResident(range), let status = try? file.status(), file.isStill(version, status)
    else { return nil }
    counts.copied.add(bytes.count)
    return bytes
  }

  /// Lets the kernel begin to read what will be read. What is not needed any more is left to the kernel, since others may
  /// hold slices of it.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    switch advice {
    case .willRead: advise(.willNeed(range))
    case .discard: break
    }
  }

  /// Tells the kernel how the file will be read from now on, or which part of it soon. Waits for nothing.
  ///
  /// Without effect before the source is opened and after it is closed.
  public func advise(_ pattern: AccessPattern) {
    // `try?`: a closed source has nothing to advise about.
    guard let file = try? openFile() else { return }
    guard !file.isRemote else { return file.queues.submit { [self] in advise(pattern, file) } }
    advise(pattern, file)
  }

  private func advise(_ pattern: AccessPattern, _ file: MappedFile) {
    if case .willNeed = pattern, let end = state.withLock({ $0.described?.byteCount }), end > 0 {
      // Nothing may have been read yet, and so nothing mapped. What cannot be mapped is told by the read that needs it.
      _ = try? file.mapping(covering: end, of: end)
    }
    file.advise(pattern)
  }

  /// Reads and bytes that were handed out as `mapped` memory, and those that were `copied`.
  public func statistics() -> SourceStatistics {
    SourceStatistics(lanes: [counts.mapped.lane("mapped"), counts.copied.lane("copied")])
  }

  /// Closes the file. Its mapping goes with the last slice.
  public nonisolated(nonsending) func close() async {
    let file = state.withLock { state in
      defer { (state.file, state.described, state.isClosed) = (nil, nil, true) }
      return state.file
    }
    await file?.closed()
  }
}
