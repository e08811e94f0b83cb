package import RangeIO

/// Recorded reads of a source, in order. Used to compare caches.
///
/// Takes 16 bytes per request. A million requests load in some tens of milliseconds.
package struct RangeTrace: Sendable, Equatable {
  /// The file format of a trace.
  package enum Format: String, CaseIterable, Sendable {
    /// Binary, a few bytes per request.
    case rrt
    /// Text: a line `offset,length`, then one line for each request, in bytes.
    case csv
  }

  /// The ranges that were read. Some may be empty.
  package let requests: [ByteRange]
  /// The size in bytes of the source that was read. No request goes past its end.
  package let byteCount: Int

  /// A trace of reads from something of `byteCount` bytes.
  package init(requests: [ByteRange], byteCount: Int) {
    self.requests = requests
    self.byteCount = byteCount
  }

  /// Decodes a trace from the contents of a file.
  ///
  /// - Parameters:
  ///   - format: the format; `nil` to detect it from the first bytes.
  ///   - maxRequests: a trace with more of them is refused, before they take memory.
  package init(_ contents: Bytes, format: Format? = nil, maxRequests: Int = .max) throws(TraceError) {
    self = try contents.withUnsafeBytes { buffer throws(TraceError) -> RangeTrace in
      let format = if let format { format } else { try Self.format(of: buffer) }
      return switch format {
      case .rrt: try RangeTrace(rrt: buffer, maxRequests)
      case .csv: try RangeTrace(csv: buffer, maxRequests)
      }
    }
  }

  private static func format(of buffer: UnsafeRawBufferPointer) throws(TraceError) -> Format {
    if buffer.starts(with: rrtMagic) { return .rrt }
    if buffer.starts(with: csvHeader) { return .csv }
    throw TraceError("this is neither an RRT1 trace nor a CSV whose first line is 'offset,length'")
  }
}

/// The reason why a file is not a valid trace.
package struct TraceError: Error, Equatable {
  /// The fault, and its place in the trace.
  package let message: String

  init(_ message: String) { self.message = message }

  static func tooMany(most: Int) -> TraceError {
    TraceError("the trace has more than \(most) requests: cut it")
  }
}
