internal import RangeIOSupport

#if Telemetry
  public import Metrics
  public import RangeIO

  /// Turns the `statistics()` of readers and stores into metrics, whenever you ask or again and again.
  ///
  /// ```swift
  /// let exporter = StatisticsExporter()
  /// exporter.add(reader, name: "tiles")
  /// exporter.add(store, name: "main")
  /// exporter.export()                                      // now
  ///
  /// try await exporter.export(every: .seconds(10))         // until the task is cancelled
  /// ```
  ///
  /// Reads cost nothing more: their counters are there anyway. ``ReadingService`` exports as well, and once more when
  /// everything is closed.
  ///
  /// The exporter does not keep readers and stores alive. What one of them counts after the last export is lost when it
  /// goes: close it, export, then drop it.
  ///
  /// The README lists all metrics, and says by which words in its name a count of your own stage or source goes to which.
  public final class StatisticsExporter: Sendable {
    private struct State {
      var entries: [Entry] = []
      var meters: SampleMeters
    }

    /// One reader or store.
    private struct Entry {
      /// Its numbers, or `nil` once it is gone.
      let samples: @Sendable () -> [Sample]?
      var totals = Totals()
    }

    private let state: Guarded<State>

    /// Creates an exporter of nothing.
    ///
    /// - Parameter metrics: makes the metrics. Default: the factory that the process has been bootstrapped with by the
    ///   first export.
    public init(metrics: (any MetricsFactory)? = nil) {
      state = Guarded(State(meters: SampleMeters(factory: metrics)))
    }

    /// Exports a reader from now on, with all that it has counted so far.
    ///
    /// - Parameters:
    ///   - reader: the reader. It is not kept alive.
    ///   - name: becomes `rangeio.reader.name`. Readers with the same name are added up.
    ///   - includesStages: whether the counts of its stages are exported too. A stage that several readers list counts
    ///     for all of them: export it with one of them only. Default: yes.
    public func add(_ reader: RangeReader, name: String, includesStages: Bool = true) {
      add { [weak reader] in
        reader.map { Sample.all(of: $0.statistics(), name: name, includesStages: includesStages) }
      }
    }

    /// Exports all tiers of a store from now on, with all that they have counted so far. Of a store of your own, those of its
    /// counts that have the names of the library's.
    ///
    /// - Parameters:
    ///   - store: the store. It is not kept alive.
    ///   - name: becomes `rangeio.cache.name`. Give each store another one.
    public func add(_ store: any ChunkStore, name: String) {
      add { [weak store] in store.map { Sample.all(of: $0.statistics(), name: name) } }
    }

    private func add(_ samples: @escaping @Sendable () -> [Sample]?) {
      state.withLock { $0.entries.append(Entry(samples: samples)) }
    }

    /// Exports everything now. Returns when the factory has it.
    ///
    /// - Complexity: a few microseconds for each reader and store: some of their locks, and a metric for each number.
    public func export() {
      // The whole of it under the lock, so that exports that run together do not mix: an exporter is asked every few
      // seconds, and nothing below calls back.
      state.withLock { state in
        var left: [Entry] = []
        for var entry in state.entries {
          guard let samples = entry.samples() else { continue }
          for sample in samples { state.meters.record(sample, &entry.totals) }
          left.append(entry)
        }
        state.entries = left
      }
    }

    /// Exports everything after each `interval`, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: the time between two exports. More than zero.
    ///   - time: measures it. Default: the system's continuous clock.
    /// - Throws: `CancellationError`.
    public func export(every interval: Duration, time: ReadClock = .continuous) async throws {
      precondition(interval > .zero, "exporting needs some time in between")
      while true {
        try await time.sleep(for: interval)
        export()
      }
    }
  }
#endif
