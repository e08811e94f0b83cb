#if Telemetry
  public import Logging
  public import RangeIO

  /// An error as metadata of a line in a log.
  extension ReadError {
    /// This error as metadata of a log line:
    ///
    /// ```swift
    /// logger.error("no tile", metadata: error.logMetadata)
    /// ```
    ///
    /// The code is `error.type`, the message `rangeio.error.message`, the source `url.full`, `file.path` or
    /// `rangeio.source.name`, the range `rangeio.ranges`. See the README for all names. Of the `cause` only
    /// the type is named: what a library below writes into its errors is not known.
    public var logMetadata: Logger.Metadata {
      var metadata: Logger.Metadata = [
        TelemetryName.errorType.text: .string(code.description),
        TelemetryName.errorMessage.text: .string(message),
        TelemetryName.errorIsTransient.text: .stringConvertible(isTransient),
      ]
      if let source {
        let name = SourceName(source)
        metadata[name.key.text] = .string(name.value)
      }
      if let range { metadata[TelemetryName.ranges.text] = .string("\(range)") }
      if let retryAfter {
        metadata[TelemetryName.errorRetryAfter.text] = .stringConvertible(retryAfter / .seconds(1))
      }
      if let cause { metadata[TelemetryName.errorCause.text] = .string(String(reflecting: type(of: cause))) }
      return metadata
    }
  }

  extension Logger.Metadata {
    /// Any error as metadata: a `ReadError` as ``ReadError/logMetadata``, of another one its type and what it says.
    init(_ error: any Error) {
      if let error = error as? ReadError {
        self = error.logMetadata
      } else {
        self = [
          TelemetryName.errorType.text: .string(ErrorType.of(error)),
          TelemetryName.errorMessage.text: .string("\(error)"),
        ]
      }
    }
  }
#endif
