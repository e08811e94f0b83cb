#if Telemetry
  internal import RangeIO

  /// The samples of a reader's statistics.
  extension Sample {
    /// - Parameter includesStages: whether the counts of the stages are among them.
    static func all(of reader: RangeReader.Statistics, name: String, includesStages: Bool) -> [Sample] {
      let ofReader = [(TelemetryName.readerName.text, name)]
      func outcome(_ outcome: String) -> [(String, String)] { ofReader + [(TelemetryName.outcome.text, outcome)] }
      func result(_ result: String) -> [(String, String)] { ofReader + [(TelemetryName.cacheResult.text, result)] }
      var samples = [
        Sample(.readerReads, .total(reader.reads), outcome("success")),
        Sample(.readerReads, .total(reader.failures), outcome("failure")),
        Sample(.readerReads, .total(reader.cancellations), outcome("cancelled")),
        Sample(.readerBytes, .total(reader.bytes), ofReader),
      ]
      if let hits = reader.cacheHits {
        samples.append(Sample(.readerLookups, .total(hits), result("hit")))
        samples.append(Sample(.readerLookups, .total(max(0, reader.reads - hits)), result("miss")))
      }
      for lane in reader.source { samples += all(of: lane, ofSource: ofReader) }
      if includesStages { for stage in reader.stages { samples += all(of: stage, ofStage: ofReader) } }
      return samples
    }

    private static func all(of lane: Counters, ofSource reader: [(String, String)]) -> [Sample] {
      let dimensions = reader + [(TelemetryName.sourceLane.text, lane.name)]
      return lane.names.compactMap { count in
        guard let value = lane[count] else { return nil }
        let named = dimensions + [(TelemetryName.countName.text, count)]
        return Sample(CountKind(count) == .bytes ? .sourceBytes : .sourceEvents, .total(value), named)
      }
    }

    private static func all(of stage: Counters, ofStage reader: [(String, String)]) -> [Sample] {
      let dimensions = reader + [(TelemetryName.stageName.text, stage.name)]
      var samples = stage.names.compactMap { count -> Sample? in
        guard let value = stage[count] else { return nil }
        let named = dimensions + [(TelemetryName.countName.text, count)]
        return switch CountKind(count) {
        case .events: Sample(.stageEvents, .total(value), named)
        case .bytes: Sample(.stageBytes, .total(value), named)
        case .microseconds: Sample(.stageTime, .totalMicroseconds(value), named)
        case .latency: Sample(.stageLatency, .levelMicroseconds(value), named)
        case .peak: Sample(.stagePeak, .level(value), named)
        }
      }
      if stage.wastedBytes > 0 { samples.append(Sample(.stageWaste, .total(stage.wastedBytes), dimensions)) }
      return samples
    }
  }

  /// The kind of a stage's or source's count, which only its name says, so that one metric has one unit.
  enum CountKind: Hashable, Sendable {
    /// Anything that happens, one by one.
    case events
    /// Bytes: the word is in the name.
    case bytes
    /// Microseconds that add up: the word is in the name.
    case microseconds
    /// A typical duration: its unit, `µs`, is in the name.
    case latency
    /// The most there ever was at once: the name begins with "longest" or "most".
    case peak

    init(_ name: String) {
      let words = name.split(separator: " ")
      self =
        switch words.first {
        case "longest", "most": .peak
        default:
          if words.contains("µs") {
            .latency
          } else if words.contains("microseconds") {
            .microseconds
          } else if words.contains("bytes") {
            .bytes
          } else {
            .events
          }
        }
    }
  }
#endif
