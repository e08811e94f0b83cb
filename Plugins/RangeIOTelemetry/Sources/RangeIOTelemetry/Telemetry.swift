#if Telemetry
  public import Logging
  public import Metrics
  public import RangeIO
  public import Tracing

  /// Reports the reads of a reader to swift-distributed-tracing, swift-metrics and swift-log: three stages, of which
  /// you list the ones that you want.
  ///
  /// ```swift
  /// let telemetry = Telemetry(name: "tiles", logger: logger)
  /// let reader = try await RangeReader(
  ///   source,
  ///   [
  ///     telemetry.reads,  // a span for each read that needs the source
  ///     .caching(store),
  ///     telemetry.fetches,  // a span for each read of the source
  ///     .retrying(),
  ///     .hedging(),
  ///     telemetry.tries,  // its retries and hedges, as events of that span
  ///   ])
  /// ```
  ///
  /// **Cost.** A cache hit makes no span, takes no lock, reads no clock and allocates nothing: ``reads`` passes it on.
  /// ``fetches`` and ``tries`` are below the cache and never see it. The README has figures.
  ///
  /// **Context.** Spans are children of the span in which the caller reads, also where a cache reads on a task of its own.
  /// When several reads wait for one fetch, its span belongs to the read that began it.
  ///
  /// One `Telemetry` may be listed by several readers. It changes neither bytes nor errors, and adds nothing to the time
  /// of a read but its own work.
  ///
  /// The names of spans, attributes and metrics follow OpenTelemetry's semantic conventions where there are some. The
  /// README lists them all.
  public final class Telemetry: Sendable {
    /// A span `rangeio.read` for each read by a caller that needs the source, around the spans of its fetches. Hits have
    /// none, unless ``init(name:tracer:metrics:logger:logLevel:tracesHits:)`` asks for them.
    ///
    /// **Place.** Above `.caching`, at the top. It needs ``fetches`` below it: that is how it knows which reads need the
    /// source.
    public let reads: ReadPipeline

    /// A span `rangeio.fetch` for each read that goes to the source, with its ranges; its duration and size as metrics;
    /// a log line if it fails.
    ///
    /// **Place.** Below `.caching`, directly above `.retrying`: one span then is one fetch with all its tries. Above
    /// `.merging` it is what the cache asks for, below it what is read in one piece.
    public let fetches: ReadPipeline

    /// The retries and hedges of a fetch as events of its span, and as log lines.
    ///
    /// A stage cannot look into others. This one sees each try, and knows from the ranges and from what is running which
    /// of them repeats another and which runs beside one.
    ///
    /// **Place.** Below `.retrying` and `.hedging`, and below ``fetches``; without that it does nothing.
    public let tries: ReadPipeline

    /// Creates the stages.
    ///
    /// - Parameters:
    ///   - name: what you call the reader, as attribute `rangeio.reader.name` of all spans and metrics. Use few names: a
    ///     metrics backend keeps a series for each. Default: there is no such attribute.
    ///   - tracer: gets the spans. Default: the tracer that the process has been bootstrapped with, if any.
    ///   - metrics: makes the metrics. Default: the factory that the process has been bootstrapped with by the first
    ///     fetch.
    ///   - logger: gets a line for each fetch that fails, and for each retry and hedge. Default: there are none.
    ///   - logLevel: the level of those lines. Default: `debug`, since callers get the errors as well.
    ///   - tracesHits: whether ``reads`` makes a span for every read, cache hits too. A hit then costs what a span costs
    ///     in your tracer, which is often a hundred times the hit. Default: no.
    public init(
      name: String? = nil, tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil, logger: Logger? = nil,
      logLevel: Logger.Level = .debug, tracesHits: Bool = false
    ) {
      let spans = SpanMaker(tracer: tracer, readerName: name)
      let log = logger.map { TelemetryLog(logger: $0, level: logLevel, readerName: name) }
      reads = .stage(ReadsStage(spans, tracesHits: tracesHits))
      fetches = .stage(FetchesStage(spans, FetchMeters(factory: metrics, readerName: name), log))
      tries = .stage(TriesStage())
    }
  }
#endif
