import Synchronization
public import SystemPackage

/// Counts and times the reads that pass through it. Put it wherever you want to measure.
///
/// ```swift
/// let observing = Observing()
/// let reader = try await RangeReader(source, [.observing(observing)])
/// …
/// print(reader.statistics())         // reads, bytes, failures, median, 99th percentile
/// print(observing.latency(0.99))     // 99 of 100 reads took no longer
/// ```
///
/// It also records which ranges are read, hits and misses alike, in a file that `rangeio replay` reads: so you can judge caches
/// by your own reads.
///
/// ```swift
/// let observing = try await Observing(tracingTo: "reads.rrt")
/// let reader = try await RangeReader(
///   FileSource("/data/survey.bin"), [.observing(observing), .caching(MemoryStore(limit: .mebibytes(256)))])
/// …
/// await reader.close()
/// try await observing.close()
/// ```
///
/// **The trace** has offsets and lengths, and nothing else: no bytes, no names, no times. It takes some two to eight bytes per
/// read. Each version of a source has its own terabyte of the trace's address space; a trace tells 4,096 of them apart. If the
/// disk is slower than the reads, up to 8,192 wait, and further ones are left out and counted. If the disk fails, recording ends,
/// reads go on, and ``close()`` throws. After a kill the file is a trace of all but the last second of reads, as long as reads
/// go on. Nothing is forced to disk, so after a crash of the machine more may be missing. Format: `Docs/Formats/ReadTrace.md`.
///
/// **Place.** Anywhere. Above a cache it sees what callers see, below a cache what is fetched, directly above the
/// source the reads of the source.
///
/// **Cost.** A hit reads the clock twice, another read three times, and both do a handful of relaxed additions. A trace
/// also takes 16 bytes in a buffer, under a lock: about 30 ns, no allocation. One `Observing` may stand in several
/// places of one pipeline, and in several pipelines; it adds up all of them.
public final class Observing: Sendable {
  fileprivate let stage: ObservingStage

  /// Creates one that has counted nothing yet, and records no ranges.
  public convenience init() { self.init(nil) }

  /// Creates one that also records the ranges of all reads, even if they fail, in a new file at `path`, which must not
  /// exist. Only its owner can read it.
  ///
  /// A relative path starts from the current directory; `~` is the home directory.
  ///
  /// - Throws: `ReadError` with `notFound` for a missing directory, `unsupportedSource` if there is a file of that name,
  ///   `permissionDenied`, `resourcesExhausted`, `inputOutput`.
  public convenience init(tracingTo path: FilePath) async throws {
    self.init(try await ReadTrace(path))
  }

  /// Creates the file at `path`. Otherwise like ``init(tracingTo:)-(FilePath)``.
  public convenience init(tracingTo path: String) async throws {
    self.init(try await ReadTrace(path))
  }

  init(_ trace: ReadTrace?) { stage = ObservingStage(trace) }

  /// Writes what was recorded and completes the file. Reads from now on are counted and not recorded.
  ///
  /// Closing the reader is not enough: other readers may list this. But when the last one is closed that does, what was recorded
  /// is written.
  ///
  /// - Throws: `ReadError` with `resourcesExhausted` for a full disk, or `inputOutput`, also if a write failed earlier.
  ///   The file is then a trace of the reads before that. `CancellationError` if the task is cancelled: the file is
  ///   completed all the same.
  public nonisolated(nonsending) func close() async throws { try await stage.trace?.close() }

  /// The time that the given share of the successful reads did not exceed, at most a quarter too high. Zero if there
  /// are none yet.
  ///
  /// - Parameter share: from 0 to 1: 0.5 for the median, 0.99 for the 99th percentile.
  public func latency(_ share: Double) -> Duration { counted().latency.quantile(share) }

  func counted() -> Statistics { stage.counted() }

  /// The counts of an ``Observing`` stage.
  package struct Statistics: Hashable, Sendable {
    var reads: Int { latency.count }
    package var bytes: Int
    /// Reads that threw an error other than `CancellationError`.
    package var failures: Int
    var cancellations: Int
    var latency: LatencyHistogram
  }
}

extension ReadPipeline {
  /// Counts and times the reads that pass through it.
  ///
  /// - Parameter observing: what the reads are added to: ``Observing`` says what it shows. Default: a new one, whose counts
  ///   `RangeReader.statistics()` shows.
  public static func observing(_ observing: Observing = Observing()) -> ReadPipeline { .stage(observing.stage) }
}

extension Observing.Statistics: CustomStringConvertible {
  package var description: String {
    "\(reads) reads, \(bytes) bytes, \(failures) failures, \(cancellations) cancelled, median "
      + "\(latency.quantile(0.5)), 99% within \(latency.quantile(0.99))"
  }
}

/// The stage of `.observing`: counts and times the reads that pass, and may record them.
final class ObservingStage: ReadStage {
  private let bytes = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let cancellations = Atomic<Int>(0)
  private let latency = LatencyRecorder()
  fileprivate let trace: ReadTrace?

  init(_ trace: ReadTrace?) { self.trace = trace }

  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    let start = next.time.now
    trace?.record(request, at: start)
    do {
      let response = try await next(request)
      latency.add(start.duration(to: next.time.now))
      bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
      return response
    } catch {
      if error is CancellationError {
        cancellations.wrappingAdd(1, ordering: .relaxed)
      } else {
        failures.wrappingAdd(1, ordering: .relaxed)
      }
      throw error
    }
  }

  /// Passes a cache hit on and counts it.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    let start = next.time.now
    let answer = next.answer(request)
    guard case .here(let response) = answer else { return .later }
    trace?.record(request, at: start)
    latency.add(start.duration(to: next.time.now))
    bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
    return answer
  }

  /// Has the trace written so far. The trace itself stays open, since other readers may list this.
  nonisolated(nonsending) func close() async { await trace?.flush() }

  func counted() -> Observing.Statistics {
    Observing.Statistics(
      bytes: bytes.load(ordering: .relaxed), failures: failures.load(ordering: .relaxed),
      cancellations: cancellations.load(ordering: .relaxed), latency: latency.snapshot())
  }

  /// The counts so far: reads that succeeded and their bytes, reads that failed, reads that were cancelled, and two
  /// times in microseconds; with a trace, what it has. ``latency(_:)`` has all times.
  func statistics() -> Counters? {
    let seen = counted()
    func microseconds(_ share: Double) -> Int { Int(seen.latency.quantile(share) / .microseconds(1)) }
    var counts = Counters(
      "Observing",
      counts: [
        "reads": seen.reads, "bytes": seen.bytes, "failures": seen.failures, "cancelled": seen.cancellations,
        "median µs": microseconds(0.5), "99th percentile µs": microseconds(0.99),
      ])
    if let trace { counts.counts += trace.statistics().counts }
    return counts
  }
}
