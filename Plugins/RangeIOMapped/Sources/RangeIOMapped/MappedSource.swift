internal import CRangeIOMapped
public import RangeIO
internal import Synchronization
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
/// out before. Whoever touches one is sent the signal `SIGBUS`, which ends the process, and no Swift code can catch it.
/// The same happens when a page has to be read again and the disk fails. So:
///
/// - *A read itself never raises it.* The pages of a range are brought in before it is handed out
///   (`MADV_POPULATE_READ`; where that is missing, by reading them through the descriptor). What would be a signal is a
///   `ReadError` there: `sourceChanged` for a file that was made shorter, `inputOutput` for a disk that fails.
/// - *A slice you hold can*, if the file is made shorter meanwhile, by whomever. Nothing on Linux or macOS prevents that
///   for a regular file. Map files that nobody makes shorter: those that are replaced by `rename` are safe, since the
///   old file stays whole as long as it is mapped.
/// - *`Slices.copied`* never touches the mapped memory, and so cannot raise it.
///
/// **Versions** are as `FileSource` has them, checked after the pages came in. A file that grew is mapped anew, and slices
/// of the old mapping stay good. Any other change makes reads throw `ReadError.Code.sourceChanged`. A slice shows what
/// the file holds *now*: writing in place shows through in slices that were handed out before.
///
/// **Caches.** A `Caching` stage gets copies, checked after they were made, never mapped memory.
///
/// **Lifetime.** A mapping goes with the last slice of it, also after ``close()``, and not before.
public final class MappedSource: RangeSource {
  private struct State {
    var file: MappedFile?
    /// How often another file has taken its place.
    var generation = 0
    /// The description handed out last, to hand it out again while nothing changes.
    var described: SourceDescription?
    var isClosed = false
  }

  private let path: FilePath
  private let configuration: Configuration
  private let state = Guarded(State())
  private let counts = Counts()

  /// The file at `path`. It is opened by the first use, not here.
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
    try await describe(named: nil)
  }

  /// Looks at what the path leads to now, and maps that from now on if it is another file than the one opened. Slices of
  /// the one before stay good.
  ///
  /// - Throws: as ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    guard let file = try openFile() else { return try await describe() }
    let new = try await openAnew()
    let (before, after) = (try file.status(), try new.status())
    guard before.device != after.device || before.inode != after.inode else {
      return try await describe(named: new.statusAtOpening)
    }
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
    let bytes = try await bytes(of: range, file, version)
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
    for range in ranges { all.append(range.isEmpty ? Bytes() : try await bytes(of: range, file, version)) }
    if let last = ranges.last { try await check(version, after: last, file) }
    return all
  }

  /// The bytes of `range` for a cache: always copies, since it would keep mapped memory, and copy it after the file was
  /// compared with its version.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    let (file, version) = try opened(source)
    let whole = try await copy(of: range, file)
    try await check(version, after: range, file)
    return grid.pieces(of: range).map { _, part in
      whole.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
    }
  }

  /// A copy of `range`, if the page cache holds all of it and the file is as it was: for caches. On Linux only.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? {
    // More would keep the caller's actor busy for longer than a task costs. What is wrong is told by the read that follows.
    guard range.count <= 256 * 1024, let (file, version) = try? opened(source),
      let bytes = file.copyOfResident(range), let status = try? file.status(), MappedVersion(status) == version
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
    // A closed source has nothing to advise about.
    guard let file = try? openFile() else { return }
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
    file?.close()
  }
}

// MARK: the file

extension MappedSource {
  /// What the file is now.
  ///
  /// - Parameter named: what it was a moment ago under its name, if that is known: if it has lost that since, it is for
  ///   those who read it to notice.
  private func describe(named: rim_status?) async throws -> SourceDescription {
    let blockSize = configuration.blockSize.bytes
    guard BlockGrid(blockSize: blockSize) != nil else {
      throw ReadError(
        .invalidConfiguration,
        "a block size of \(configuration.blockSize) is no power of two: choose one, such as 64 KiB")
    }
    if try openFile() == nil { try await open() }
    let (file, generation, last) = try state.withLock { state in
      guard let file = state.file else { throw Self.closed }
      return (file, state.generation, state.described.flatMap(MappedSnapshot.of)?.version)
    }
    var version: MappedVersion
    if let status = file.takeStatusAtOpening() {
      version = MappedVersion(status)
    } else {
      version = try await look(at: file, after: last)
      if version.links == 0, let named { version = MappedVersion(named) }
    }
    let (now, tick) = configuration.calls.wallClock()
    let isSettled = version.isSettled(at: now, tick: tick)
    return state.withLock { state in
      if let last = state.described, last.isSettled == isSettled, MappedSnapshot.of(last)?.version == version {
        return last
      }
      let new = SourceDescription(
        id: "mapped:\(version.device):\(version.inode)", validator: version, byteCount: version.size,
        preferredBlockSize: blockSize, mayGrow: true, isSettled: isSettled,
        context: MappedSnapshot(version, generation))
      if state.generation == generation { state.described = new }
      return new
    }
  }

  private static let closed = ReadError(.closed, "the source is closed: make a new one to read on")

  /// The file, if it has been opened.
  private func openFile() throws -> MappedFile? {
    let (file, isClosed) = state.withLock { ($0.file, $0.isClosed) }
    if isClosed { throw Self.closed }
    return file
  }

  private func open() async throws {
    let new = try await openAnew()
    let isFirst = try state.withLock { state in
      if state.isClosed { throw Self.closed }
      // Of two who open at once the first wins; the other's descriptor closes with its object.
      defer { if state.file == nil { state.file = new } }
      return state.file == nil
    }
    if isFirst { announce(new) }
  }

  private func openAnew() async throws -> MappedFile {
    try await DiskQueues.shared.run { [path, configuration] in
      try MappedFile.open(path, configuration.access, configuration.calls)
    }
  }

  /// Tells the kernel of a file that is read from now on what will be read of it.
  private func announce(_ file: MappedFile) {
    // What fails here only saves time: the first read tells of it.
    guard case .willNeed = configuration.access, let count = (try? file.status())?.size, count > 0 else { return }
    _ = try? file.mapping(covering: Int(count), of: Int(count))
    file.advise(configuration.access)
  }

  private func opened(_ source: SourceDescription) throws -> (MappedFile, MappedVersion) {
    let (file, generation, isClosed) = state.withLock { ($0.file, $0.generation, $0.isClosed) }
    if isClosed { throw Self.closed }
    guard let file, let snapshot = MappedSnapshot.of(source) else {
      throw ReadError(.invalidConfiguration, "the file has not been described yet: call describe() before read")
    }
    guard snapshot.generation == generation else {
      throw ReadError(
        .sourceChanged, "another file has been opened under its name: open it again to read the new version",
        context: file.context())
    }
    return (file, snapshot.version)
  }

  /// The version of the file now; if it looks as if it were growing just now, what it is a moment later.
  private func look(at file: MappedFile, after version: MappedVersion?) async throws -> MappedVersion {
    var now = MappedVersion(try file.status())
    guard let version else { return now }
    // As `FileSource` does: a file that was really rewritten costs who learns of it within a quarter of a second the rest
    // of that, once.
    for _ in 0..<250 where version.mayBeGrowing(into: now) {
      guard configuration.calls.wallClock().now - now.modified < 250_000_000 else { break }
      try await Task.sleep(for: .milliseconds(1))
      now = MappedVersion(try file.status())
    }
    return now
  }

  /// Throws `sourceChanged` unless the file is still `version`, or has only grown.
  private func check(_ version: MappedVersion, after range: ByteRange, _ file: MappedFile) async throws {
    if MappedVersion(try file.status()) == version { return }
    let now = try await look(at: file, after: version)
    guard version.change(to: now) == .other else { return }
    throw ReadError(
      .sourceChanged, "\(version.difference(to: now)) since it was opened: open it again to read the new version",
      context: file.context(range))
  }
}

// MARK: its bytes

extension MappedSource {
  private func bytes(of range: ByteRange, _ file: MappedFile, _ version: MappedVersion) async throws -> Bytes {
    switch configuration.slices {
    case .copied: return try await copy(of: range, file)
    case .zeroCopy: break
    }
    let mapping = try file.mapping(covering: range.upperBound, of: version.size)
    do {
      // Only as good as what `mincore` tells: of a file that is another user's it says that all is there.
      if file.calls.isResident(mapping.pages(of: range)) {
        try file.faultIn(range, of: mapping)
      } else {
        try await DiskQueues.shared.run {
          mapping.advise(rim_will_need, range)
          try file.faultIn(range, of: mapping)
        }
      }
    } catch {
      // What the file has become says more than what failed because of it.
      try await check(version, after: range, file)
      throw error
    }
    counts.mapped.add(range.count)
    return mapping.bytes(range)
  }

  private func copy(of range: ByteRange, _ file: MappedFile) async throws -> Bytes {
    if let bytes = file.copyOfResident(range) {
      counts.copied.add(range.count)
      return bytes
    }
    let bytes = try await DiskQueues.shared.run {
      try Bytes(count: range.count) { try file.fill($0, from: range) }
    }
    counts.copied.add(range.count)
    return bytes
  }

  /// What was handed out.
  private final class Counts: Sendable {
    struct Counter: ~Copyable, Sendable {
      private let reads = Atomic<Int>(0)
      private let bytes = Atomic<Int>(0)

      func add(_ count: Int) {
        reads.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(count, ordering: .relaxed)
      }

      func lane(_ name: String) -> SourceStatistics.Lane {
        .init(name: name, reads: reads.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
      }
    }
    let mapped = Counter()
    let copied = Counter()
  }
}
