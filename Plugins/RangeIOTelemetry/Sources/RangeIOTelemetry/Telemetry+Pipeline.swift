#if Telemetry
  public import RangeIO

  extension Telemetry {
    /// `pipeline` with the three stages, each where it belongs: for pipelines that are ready-made.
    ///
    /// ```swift
    /// let reader = try await RangeReader(source, telemetry.added(to: .remoteObject(keepingIn: store)))
    /// ```
    ///
    /// ``reads`` is at the top; ``fetches`` directly above `Retrying`, or else below `Caching` and `Merging`; ``tries``
    /// below `Retrying`, `Hedging` and the `TimeLimiting` among them. A pipeline has them once: do not add them to one
    /// that lists them.
    public func added(to pipeline: ReadPipeline) -> ReadPipeline {
      let stages = pipeline.stages
      let belowCaches = stages.lastIndex { $0 is Caching || $0 is Merging }.map { $0 + 1 } ?? 0
      let fetched = stages[belowCaches...].firstIndex { $0.placement == .retrying } ?? belowCaches
      let tried =
        stages[fetched...].lastIndex {
          $0.placement == .retrying || $0.placement == .hedging || $0 is TimeLimiting
        }.map { $0 + 1 } ?? fetched
      return ReadPipeline {
        reads
        for stage in stages[..<fetched] { stage }
        fetches
        for stage in stages[fetched..<tried] { stage }
        tries
        for stage in stages[tried...] { stage }
      }
    }
  }
#endif
