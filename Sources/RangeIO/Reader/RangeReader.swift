/// Reads ranges of bytes from a file or any other source.
///
/// ```swift
/// let reader = try await RangeReader("/data/survey.bin")
/// let header = try await reader.read(0..<4096)
/// for try await piece in reader.stream() { … }
/// await reader.close()
/// ```
///
/// **Concurrency.** Any number of reads may be under way from any task and actor. The actor isolates opening and
/// closing only; reads do not queue for it.
///
/// **Cancellation.** A read in a cancelled task throws `CancellationError` at once, also while the device hangs, and
/// takes nothing from other reads.
///
/// **Versions.** All reads are of the version that was opened. When the source becomes another, reads throw
/// `ReadError.Code.sourceChanged`, unless you choose another ``ChangePolicy``: ``ChangePolicy/refresh`` turns to the new
/// version, ``ChangePolicy/follow`` reads on in a file that grows.
///
/// **Closing.** ``close()`` gives back the source at once. A reader that is dropped does so with its last read and
/// stream.
public actor RangeReader {
  nonisolated let core: ReaderCore
  private var closing: Closing?

  init(core: ReaderCore) { self.core = core }

  /// How a reader works, apart from its source and stages.
  public struct Configuration: Sendable {
    /// Where look-ahead and shared reads run. Default: Swift's own threads.
    public var background: BackgroundWork
    /// The clock of stages. Default: the continuous clock of the system.
    public var time: TimeSource
    /// What to do when the source changes. Default: reads throw `sourceChanged`.
    public var onChange: ChangePolicy
    /// How often a source is looked at that cannot tell of changes, for the policies that watch it. Default: a second.
    public var pollInterval: Duration = .seconds(1)
    /// The bytes that a stream asks for at once, at least.
    package var streamWindow = StreamCursor.smallestWindow

    /// A configuration with defaults.
    public init(
      background: BackgroundWork = BackgroundWork(), time: TimeSource = .continuous, onChange: ChangePolicy = .fail
    ) {
      self.background = background
      self.time = time
      self.onChange = onChange
    }
  }

  /// A reader of `source` through the stages listed, from the top down.
  ///
  /// The reader owns the source from here on, even if this throws.
  ///
  /// - Throws: what the source throws when it is described; `ReadError.Code.invalidConfiguration` for an order of
  ///   stages that cannot work; `CancellationError`.
  public init(
    _ source: some RangeSource, configuration: Configuration = Configuration(),
    @ReadPipelineBuilder stages: @Sendable () throws -> [any ReadStage]
  ) async throws {
    core = try await .open(source, ReadPipeline(stages), configuration)
  }

  /// A reader of `source` through `pipeline`, by default without stages.
  ///
  /// The reader owns the source from here on, even if this throws.
  ///
  /// - Throws: what the source throws when it is described; `ReadError.Code.invalidConfiguration` for an order of
  ///   stages that cannot work; `CancellationError`.
  public init(
    _ source: some RangeSource, _ pipeline: ReadPipeline = ReadPipeline(),
    configuration: Configuration = Configuration()
  ) async throws {
    core = try await .open(source, pipeline, configuration)
  }

  /// The bytes of the source: those of the version opened, or of the longest one seen since where the source only grows; with
  /// ``ChangePolicy/refresh`` those of the version turned to last.
  public nonisolated var byteCount: Int { core.source.byteCount }

  /// What is being read: id, version, size, as the topmost stage sees it.
  public nonisolated var source: SourceDescription { core.source }

  /// What this reader has done so far.
  public nonisolated func statistics() -> ReaderStatistics { core.statistics() }

  /// Looks whether the source has grown, or become another version, or its name leads to another.
  ///
  /// - Returns: the size now, in bytes; also ``byteCount`` from now on.
  /// - Throws: `ReadError.Code.sourceChanged` if it is another version, unless the reader turns to new versions
  ///   (``ChangePolicy/refresh``). A longer file is another version, unless its source says that it only grows
  ///   (``FileSource/Configuration/isAppendOnly``).
  @discardableResult public nonisolated(nonsending) func refresh() async throws -> Int {
    try await core.refresh()
    return core.source.byteCount
  }

  /// Closes the reader and its source. Reads under way throw `ReadError.Code.closed` at once, and so do later ones.
  ///
  /// Returns when the source has released everything, in a cancelled task at once. May be called again, from any task.
  public func close() async {
    let closing = self.closing ?? core.beginClosing()
    self.closing = closing
    await closing.wait()
  }
}
