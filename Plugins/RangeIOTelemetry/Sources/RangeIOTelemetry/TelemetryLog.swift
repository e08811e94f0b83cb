#if Telemetry
  internal import Logging
  internal import RangeIO

  /// The log lines of ``Telemetry``.
  struct TelemetryLog: Sendable {
    let logger: Logger
    let level: Logger.Level
    let readerName: String?

    func failed(_ request: ReadRequest, _ error: any Error) {
      logger.log(
        level: level, "reading from the source failed",
        metadata: metadata(request).merging(Logger.Metadata(error)) { _, ofError in ofError })
    }

    func retried(_ request: ReadRequest, _ number: Int, after error: String) {
      logger.log(
        level: level, "reading from the source again",
        metadata: metadata(request, number).merging([TelemetryName.errorType.text: .string(error)]) { $1 })
    }

    func hedged(_ request: ReadRequest, _ number: Int) {
      logger.log(
        level: level, "reading from the source a second time, as the answer is late",
        metadata: metadata(request, number))
    }

    private func metadata(_ request: ReadRequest, _ number: Int? = nil) -> Logger.Metadata {
      let name = SourceName(request.source.name)
      var metadata: Logger.Metadata = [
        name.key.text: .string(name.value),
        TelemetryName.ranges.text: .array(
          request.allRanges.prefix(Self.maxRanges).map { .string("\($0)") }),
      ]
      if let readerName { metadata[TelemetryName.readerName.text] = .string(readerName) }
      if let number { metadata[TelemetryName.tryNumber.text] = .stringConvertible(number) }
      return metadata
    }

    private static let maxRanges = 16
  }
#endif
