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

  /// Settings of a reader, apart from its source and stages.
  public struct Configuration: Sendable {
    /// Where look-ahead and shared reads run. Default: Swift's own threads.
    package var background: BackgroundWork
    /// The clock that the stages use. Default: the continuous clock of the system.
    package var time: TimeSource
    /// What to do when the source changes. Default: reads throw `sourceChanged`.
    public var onChange: RangeReader.ChangePolicy
    /// How often to check a source that cannot report changes, for the policies that watch for them. Default: one
    /// second.
    public var pollInterval: Duration
    /// The least number of bytes that a stream asks for at once.
    package var streamWindow = StreamCursor.smallestWindow

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - time: the clock that the stages use. Default: the continuous clock of the system.
    ///   - onChange: what to do when the source changes. Default: reads throw `sourceChanged`.
    ///   - pollInterval: how often to check a source that cannot report changes. Default: one second.
    public init(
      time: TimeSource = .continuous, onChange: ChangePolicy = .fail, pollInterval: Duration = .seconds(1)
    ) {
      self.init(background: BackgroundWork(), time: time, onChange: onChange, pollInterval: pollInterval)
    }

    package init(
      background: BackgroundWork, time: TimeSource = .continuous, onChange: ChangePolicy = .fail,
      pollInterval: Duration = .seconds(1)
    ) {
      self.background = background
      self.time = time
      self.onChange = onChange
      self.pollInterval = pollInterval
    }
  }

  /// Opens `source`, read through the listed stages, from the top down. Default: no stages.
  ///
  /// The reader owns the source from here on, even if this throws.
  ///
  /// - Throws: any error of the source when it is asked for its description; `ReadError.Code.invalidConfiguration` for
  ///   an order of stages that cannot work; `CancellationError`.
  public init(
    _ source: some RangeSource, configuration: Configuration = Configuration(),
    @ReadPipeline.Builder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    core = try await .open(source, ReadPipeline(stages), configuration)
  }

  /// Opens `source`, read through `pipeline`.
  ///
  /// The reader owns the source from here on, even if this throws.
  ///
  /// - Throws: any error of the source when it is asked for its description; `ReadError.Code.invalidConfiguration` for
  ///   an order of stages that cannot work; `CancellationError`.
  public init(
    _ source: some RangeSource, _ pipeline: ReadPipeline, configuration: Configuration = Configuration()
  ) async throws {
    core = try await .open(source, pipeline, configuration)
  }

  /// The size of the source in bytes: that of the version opened. If the source only grows, that of the longest version
  /// seen so far. With ``RangeReader/ChangePolicy/refresh``, that of the version the reader switched to last.
  public nonisolated var byteCount: Int { core.source.byteCount }

  /// What is being read: id, version, size, as the topmost stage reports it.
  public nonisolated var source: SourceDescription { core.source }

  /// What this reader has done so far.
  public nonisolated func statistics() -> Statistics { core.statistics() }

  /// Checks whether the source has grown or changed, or whether its name now leads to another file or object.
  ///
  /// - Returns: the size now, in bytes. ``byteCount`` has this value from now on.
  /// - Throws: `ReadError.Code.sourceChanged` if it is another version, unless the reader switches to new versions
  ///   (``RangeReader/ChangePolicy/refresh``). A longer file is another version, unless its source declares that it
  ///   only grows (`isAppendOnly` of ``FileSource/Configuration``).
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
