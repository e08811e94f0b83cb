#if Telemetry
  internal import RangeIO

  /// The value of the attribute `error.type`: a short word that says which kind of error it is, for counting.
  enum ErrorType {
    /// The read was cancelled: it is not waited for any more.
    static let cancelled = "cancelled"
    /// As OpenTelemetry has it: some other error.
    static let other = "_OTHER"

    /// The name of a `ReadError.Code`, `cancelled`, or the name of another error's type.
    static func of(_ error: any Error) -> String {
      switch error {
      case let error as ReadError: error.code.description
      case is CancellationError: cancelled
      default: String(reflecting: type(of: error))
      }
    }
  }
#endif
