internal import CRangeIOMapped
public import RangeIO
internal import Synchronization
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
/// **Caches.** A `.caching` stage keeps copies, checked after they were made, never mapped memory, and answers hits
/// with them. Reads that bypass the store return mapped memory, as without a cache: `.bypass`, ranges longer than
/// `maxReadSize:`, reads of a file that was written a moment ago, and first reads of a cache that keeps what is read
/// twice (the default cache does). Choose `Slices.copied` if all that a reader returns must stay readable.
///
/// **Lifetime.** A mapping is released with its last slice, even after ``close()``, and not before.
public final class MappedSource: RangeSource {
  private struct State {
    /// The last description, and the one by `file` that it was made of.
    var described: SourceDescription?
    var ofFile: SourceDescription?
    /// Of the file described last; `nil` until the first read.
    var mapping: Mapping?
    /// The advice to the kernel on new mappings.
    var advice: rim_advice
    var isClosed = false
  }

  /// The file, its versions, and the threads that wait for its disk or server.
  private let file: FileSource
  private let configuration: Configuration
  private let state: Guarded<State>
  private let mapped = Counter()
  private let copied = Counter()

  /// The most bytes of a read whose pages are loaded on the caller's own thread and actor.
  private static let maxMappedHere = 4 * 1024 * 1024

  /// The file at `path`. The first use opens it, not this initializer: a relative path starts from the current
  /// directory at that moment, also when the path is checked again later. `~` and `~user` are home directories.
  public convenience init(_ path: FilePath, configuration: Configuration = Configuration()) {
    self.init(FileSource(path, blockSize: configuration.blockSize), configuration)
  }

  /// The file at `path`. The first use opens it, not this initializer.
  public convenience init(_ path: String, configuration: Configuration = Configuration()) {
    self.init(FileSource(path, blockSize: configuration.blockSize), configuration)
  }

  init(_ file: FileSource, _ configuration: Configuration) {
    self.file = file
    self.configuration = configuration
    state = Guarded(State(advice: configuration.access.advice))
  }

  /// Opens the file if it is not open, and checks its status.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, a device, a
  ///   file whose contents the kernel generates), `resourcesExhausted`, `inputOutput`, `invalidConfiguration` or
  ///   `closed`.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    try announced(await file.describe())
  }

  /// Checks what the path leads to now. If that is another file than the open one, maps it from now on. If there is no
  /// file, keeps reading the open one. Slices of the old file stay valid.
  ///
  /// - Throws: as ``describe()``.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription {
    try announced(await file.renew())
  }

  /// Returns when the file may have changed, as `FileSource` does.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try await file.waitForChange(after: source)
  }

  /// Tells the kernel what will be read of a file that is used from now on.
  private func announced(_ file: SourceDescription) throws(ReadError) -> SourceDescription {
    guard file.validator != nil else {
      throw ReadError(.unsupportedSource, "this is no regular file: only those can be mapped", source: file.name)
    }
    var traits = file.traits
    // A page may be gone by the time it is touched, and then the thread waits for the disk.
    traits.answersCancellation = false
    traits.isBorrowed = configuration.slices == .zeroCopy
    let new = SourceDescription(
      id: file.id, name: file.name, validator: file.validator, byteCount: file.byteCount,
      preferredBlockSize: file.preferredBlockSize, traits: traits)
    let (source, old) = state.withLock { state -> (SourceDescription, Mapping?) in
      // Readers keep what says nothing new.
      if let last = state.described, state.ofFile === file, last.traits.isSettled == file.traits.isSettled {
        return (last, nil)
      }
      (state.described, state.ofFile) = (new, file)
      guard let mapping = state.mapping, mapping.id != new.id else { return (new, nil) }
      state.mapping = nil
      return (new, mapping)
    }
    // Not unmapped under the lock.
    withExtendedLifetime(old) {}
    return source
  }

  // MARK: reading

  /// The bytes of `range`: mapped memory or a copy, depending on ``Configuration/slices``.
  ///
  /// If pages are not in memory, waits for them on threads of the library.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted`, `unsupportedSource` (a file
  ///   system that cannot map) or `closed`.
  /// - Complexity: for pages in memory, three system calls and O(pages) in the kernel (Linux 5.14 and later);
  ///   elsewhere it reads the range, with a system call for each 64 KiB.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    switch configuration.slices {
    case .zeroCopy: return try await map(range, of: source)
    case .copied:
      let bytes = try await file.read(range, of: Self.own(source))
      copied.add(range.count)
      return bytes
    }
  }

  /// The bytes of several ranges. Always copies, since a cache asks in this way for what it keeps: it would copy mapped memory
  /// only after the file was compared with its version. Without a cache, a reader asks for one range after the other.
  ///
  /// - Throws: as ``read(_:of:)-(ByteRange,_)``.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    let all = try await file.read(ranges, of: Self.own(source))
    for range in ranges where !range.isEmpty { copied.add(range.count) }
    return all
  }

  /// A copy of `range` for a cache, if the page cache has all of it and the file has not changed. On Linux only.
  public func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> {
    guard source.validator != nil, case .here(let bytes) = file.answer(range, of: source) else { return .later }
    copied.add(bytes.count)
    return .here(bytes)
  }

  /// A description without a version is by another source: this one describes regular files only.
  private static func own(_ source: SourceDescription) throws(ReadError) -> SourceDescription {
    guard source.validator != nil else {
      throw ReadError(.invalidConfiguration, "another source has made this description: pass one of this source")
    }
    return source
  }

  /// A slice of the mapped memory, whose pages are loaded before the version of the file is checked.
  private func map(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    let end = range.upperBound
    let known = state.withLock { $0.mapping }.flatMap { $0.id == source.id && $0.count >= end ? $0 : nil }
    let isQuick = range.count <= Self.maxMappedHere && known?.isResident(range) == true
    // After a cancellation the work continues on its thread, up to the next few megabytes.
    let isLeft = isQuick ? nil : Guarded(false)
    let bytes: Bytes
    do {
      bytes = try await file.withDescriptor(of: source, for: range, mayBlock: !isQuick) { [self] descriptor in
        let mapping = try known ?? mapping(descriptor, source, covering: end)
        try mapping.faultIn(range, descriptor, waits: !isQuick) { isLeft?.withLock { $0 } ?? false }
        return mapping.bytes(range)
      }
    } catch {
      // Cancelled, or closed: no read waits for the work any more.
      isLeft?.withLock { $0 = true }
      throw error
    }
    mapped.add(range.count)
    return bytes
  }

  /// A mapping of at least `end` bytes: the current one, or a new one of the file that `descriptor` has open.
  private func mapping(
    _ descriptor: FileDescriptor, _ source: SourceDescription, covering end: Int
  ) throws(ReadError) -> Mapping {
    func fits(_ mapping: Mapping?) -> Bool { mapping.map { $0.id == source.id && $0.count >= end } ?? false }
    if let mapping = state.withLock({ $0.mapping }), fits(mapping) { return mapping }
    let new = try Mapping(descriptor, source, configuration.calls)
    // If two callers map at the same time, the first mapping is kept and used by both.
    let (kept, old, advice) = state.withLock { state -> (Mapping, Mapping?, rim_advice) in
      if let mapping = state.mapping, fits(mapping) { return (mapping, nil, state.advice) }
      let old = state.mapping
      if !state.isClosed { state.mapping = new }
      return (new, old, state.advice)
    }
    withExtendedLifetime(old) { if kept === new, advice != rim_normal { new.advise(advice, 0..<new.count) } }
    return kept
  }

  // MARK: advice

  /// Makes the kernel begin to read a range that will be needed. For a range that is no longer needed it does nothing,
  /// because others may hold slices of it.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {
    let part = range.clamped(to: 0..<source.byteCount)
    if advice == .willNeed, !part.isEmpty { file.advise(.willNeed, part, of: source) }
  }

  /// Tells the kernel how you will read the file from now on. Does not wait. Of a part that you will read soon, tell the reader:
  /// `reader.advise(.willNeed, range)`.
  ///
  /// Has no effect before the source is opened and after it is closed.
  public func advise(_ pattern: AccessPattern) {
    let mapping = state.withLock { state -> Mapping? in
      guard !state.isClosed, state.described != nil else { return nil }
      state.advice = pattern.advice
      return state.mapping
    }
    if let mapping { mapping.advise(pattern.advice, 0..<mapping.count) }
  }

  // MARK: counting and closing

  /// Reads and bytes returned as `mapped` memory, and those `copied`.
  public func statistics() -> [Counters] { [mapped.counts("mapped"), copied.counts("copied")] }

  /// Closes the file. Its mapping is released with the last slice.
  public nonisolated(nonsending) func close() async {
    let mapping = state.withLock { state -> Mapping? in
      defer { (state.described, state.ofFile, state.mapping, state.isClosed) = (nil, nil, nil, true) }
      return state.mapping
    }
    // Not unmapped under the lock.
    withExtendedLifetime(mapping) {}
    await file.close()
  }
}

/// Counts the bytes that reads returned.
private struct Counter: ~Copyable, Sendable {
  private let reads = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)

  func add(_ count: Int) {
    reads.wrappingAdd(1, ordering: .relaxed)
    bytes.wrappingAdd(count, ordering: .relaxed)
  }

  func counts(_ name: String) -> Counters {
    Counters(name, counts: ["reads": reads.load(ordering: .relaxed), "bytes": bytes.load(ordering: .relaxed)])
  }
}
