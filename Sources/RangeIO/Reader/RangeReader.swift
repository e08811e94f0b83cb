/// Reads ranges of bytes from a file or any other source.
///
/// ```swift
/// let reader = try await RangeReader("/data/survey.bin")
/// let header = try await reader.read(0..<4096)
/// for try await piece in reader.stream() { … }
/// await reader.close()
/// ```
///
/// **Concurrency.** Any number of reads may run at the same time, from any task and actor. The actor isolates only
/// opening and closing; reads do not queue for it.
///
/// **Cancellation.** A read in a cancelled task throws `CancellationError` at once, even while the device hangs. It
/// does not affect other reads.
///
/// **Versions.** All reads return bytes of the version that was opened. When the source changes, reads throw
/// `ReadError.Code.sourceChanged`, unless you choose another ``RangeReader/ChangePolicy``:
/// ``RangeReader/ChangePolicy/refresh`` switches to the new version, ``RangeReader/ChangePolicy/follow`` keeps reading
/// a file that grows.
///
/// **Closing.** ``close()`` releases the source at once. A reader that you do not close releases it when the reader,
/// its last read and its last stream are gone.
public actor RangeReader {
  nonisolated let core: ReaderCore
  private var closing: Closing?

  init(core: ReaderCore) { self.core = core }

  /// Settings of a reader, apart from its source and stages. The initialisers say what each means.
  package struct Configuration: Sendable {
    package var background: BackgroundWork
    package var time: ReadClock
    var onChange: RangeReader.ChangePolicy
    /// The least number of bytes that a stream asks for at once.
    package var streamWindow = StreamCursor.minWindowBytes

    package init(
      background: BackgroundWork = BackgroundWork(), time: ReadClock = .continuous, onChange: ChangePolicy = .fail
    ) {
      self.background = background
      self.time = time
      self.onChange = onChange
    }
  }

  /// Opens `source`, read through the stages of `pipeline`.
  ///
  /// The reader owns the source from here on, even if this throws.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from. Make one for each reader.
  ///   - pipeline: the stages, from the top down. Default: none.
  ///   - onChange: what to do when the source changes, and how often to check for changes. Default: reads throw
  ///     `sourceChanged`.
  ///   - time: the clock that the stages use. Default: the continuous clock of the system.
  /// - Throws: any error of the source when it is asked for its description; `ReadError.Code.invalidConfiguration` for
  ///   an order of stages that cannot work; `CancellationError`.
  public init(
    _ source: some RangeSource, _ pipeline: ReadPipeline = [], onChange: ChangePolicy = .fail,
    time: ReadClock = .continuous
  ) async throws {
    core = try await .open(source, pipeline, Configuration(time: time, onChange: onChange))
  }

  package init(_ source: some RangeSource, _ pipeline: ReadPipeline = [], configuration: Configuration) async throws {
    core = try await .open(source, pipeline, configuration)
  }

  /// The size of the source in bytes: that of the version opened. If the source only grows, that of the longest version
  /// seen so far. With ``RangeReader/ChangePolicy/refresh``, that of the version the reader switched to last.
  public nonisolated var byteCount: Int { core.source.byteCount }

  /// The source that is being read: id, version, size, as the topmost stage reports it.
  public nonisolated var source: SourceDescription { core.source }

  /// The counts of this reader, its stages and its source.
  public nonisolated func statistics() -> Statistics { core.statistics() }

  /// Checks if the source has grown or changed. Only with ``RangeReader/ChangePolicy/refresh`` does it also check if
  /// the file's name now leads to another file: otherwise the reader reads on in the file that it has opened.
  ///
  /// If the source has no validator, only the size is compared. Another source of the same size passes for the same
  /// version, and what is cached stays: read it through a new reader, with a source of its own, to fetch it anew.
  ///
  /// - Returns: the size now, in bytes. ``byteCount`` has this value from now on.
  /// - Throws: `ReadError.Code.sourceChanged` if it is another version, unless the reader switches to new versions
  ///   (``RangeReader/ChangePolicy/refresh``). A longer file is another version, unless its source declares that it
  ///   only grows (`isAppendOnly` of ``FileSource``).
  @discardableResult public nonisolated(nonsending) func refresh() async throws -> Int {
    try await core.refresh()
    return core.source.byteCount
  }

  /// Closes the reader and its source. Reads in progress throw `ReadError.Code.closed` at once, and so do later reads.
  ///
  /// Returns when the source has released everything; in a cancelled task, at once. You can call this again, from any
  /// task.
  public func close() async {
    let closing = self.closing ?? core.beginClosing()
    self.closing = closing
    await closing.wait()
  }
}

extension RangeReader: CustomStringConvertible {
  /// What is read and how much was, for people: `RangeReader(/data/survey.bin, 4096 bytes; 2 reads, 512 bytes, …)`. The name has no
  /// secrets: it is the one that errors tell.
  public nonisolated var description: String {
    "RangeReader(\(source)\(core.gate.isClosed ? ", closed" : ""); \(statistics().line))"
  }
}

extension RangeReader {
  /// The reaction of a reader to another version of its source than the one it opened.
  ///
  /// With every policy, a read never mixes versions: all its bytes are of one version, or it throws.
  public struct ChangePolicy: Hashable, Sendable {
    private enum Kind { case fail, refresh, follow }
    private let kind: Kind
    /// How often to check a source that cannot report changes.
    private(set) var pollInterval = Duration.seconds(1)

    private init(kind: Kind) { self.kind = kind }

    /// Reads throw `ReadError.Code.sourceChanged`. A longer file counts as changed, because the reader cannot know
    /// whether it was appended to or replaced. What leaves the bytes of the open file as they were is no change:
    /// another mode, owner or name, its removal, and another file that takes its name.
    public static let fail = RangeReader.ChangePolicy(kind: .fail)

    /// The reader switches to the new version: it drops what is cached of the old one, and reads again. The reader goes
    /// by the path, so after a replacement it opens the new file. A removed file stays readable until another file has
    /// its name. If the new version is too short for a range, the read throws `rangeNotSatisfiable`. A stream stays on
    /// one version: a stream in progress throws `sourceChanged` when its source changes, and the next stream reads the
    /// new version.
    ///
    /// For a while after the change, reads may still return cached bytes, or bytes of a file that was replaced. The
    /// reader notices the change when a read meets it, when the system reports it, or at the latest after the
    /// poll interval (``polling(every:)``). If a source keeps changing faster than it can be read, the read throws
    /// `sourceChanged` in the end.
    ///
    /// A block device has no version. Opening it with this policy fails with `invalidConfiguration`.
    public static let refresh = RangeReader.ChangePolicy(kind: .refresh)

    /// The reader follows a source that is still being written: `byteCount` grows with it, and streams can wait for
    /// data that is not there yet. Any change other than growth is `sourceChanged`.
    ///
    /// The source must declare that it grows. For a `FileSource` that you create, set `isAppendOnly` of
    /// ``FileSource``; for a remote source, `isAppendOnly` of its configuration. With a source that does not declare it,
    /// opening the reader fails with `invalidConfiguration`.
    public static let follow = RangeReader.ChangePolicy(kind: .follow)

    /// The same policy, with another poll interval: how often the reader checks a source that cannot report changes.
    ///
    /// ```swift
    /// let live = try await RangeReader("/mnt/server/log", onChange: .follow.polling(every: .milliseconds(200)))
    /// ```
    ///
    /// A source that reports changes is checked at once when it reports one, and otherwise once in 16 intervals. A
    /// followed source with a latency of more than 1 ms is checked less often while it rests: after 2, 4 and then every
    /// 8 intervals.
    ///
    /// - Parameter interval: the time between two checks, at least one millisecond. Default of every policy: one second.
    public func polling(every interval: Duration) -> ChangePolicy {
      var policy = self
      policy.pollInterval = interval
      return policy
    }

    /// `true` for a reader that looks for changes between reads.
    var watches: Bool { kind != .fail }

    /// `true` for ``refresh``, whatever the poll interval.
    var refreshes: Bool { kind == .refresh }

    /// `true` for ``follow``, whatever the poll interval.
    package var follows: Bool { kind == .follow }
  }
}
