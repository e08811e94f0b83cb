#if Telemetry
  public import RangeIO

  extension Telemetry {
    /// `pipeline` with the three stages, each where it belongs: for pipelines that are ready-made.
    ///
    /// ```swift
    /// let reader = try await RangeReader(source, telemetry.added(to: .remoteObject(cache: store)))
    /// ```
    ///
    /// ``reads`` is at the top; ``fetches`` directly above `.retrying`, or else below `.caching` and `.merging`; ``tries``
    /// below `.retrying`, `.hedging` and the `.timeLimit` among them. A pipeline has them once: do not add them to one
    /// that lists them.
    public func added(to pipeline: ReadPipeline) -> ReadPipeline {
      let stages = pipeline.stages
      // By the names that they count under.
      let belowCaches = stages.lastIndex { ["Caching", "Merging"].contains($0.statistics()?.name) }.map { $0 + 1 } ?? 0
      let fetched = stages[belowCaches...].firstIndex { $0.placement == .retrying } ?? belowCaches
      let tried =
        stages[fetched...].lastIndex {
          $0.placement == .retrying || $0.placement == .hedging || $0.statistics()?.name == "TimeLimit"
        }.map { $0 + 1 } ?? fetched
      func listed(_ stages: ArraySlice<any ReadStage>) -> ReadPipeline { stages.reduce([]) { [$0, .stage($1)] } }
      return [
        reads, listed(stages[..<fetched]), fetches, listed(stages[fetched..<tried]), tries, listed(stages[tried...]),
      ]
    }
  }
#endif
