package import RangeIO

/// Recorded reads of a source, in order: what a cache can be judged by.
///
/// Holds 16 bytes a request. A million of them load in some tens of milliseconds.
package struct RangeTrace: Sendable, Equatable {
  /// How a trace is written in a file.
  package enum Format: String, CaseIterable, Sendable {
    /// Binary, a few bytes a request.
    case rrt
    /// Text: a line `offset,length`, then one for each request, in bytes.
    case csv
  }

  /// The ranges that were read. Some may be empty.
  package let requests: [ByteRange]
  /// Bytes of what was read from. No request goes beyond.
  package let byteCount: Int

  /// A trace of reads from something of `byteCount` bytes.
  package init(requests: [ByteRange], byteCount: Int) {
    self.requests = requests
    self.byteCount = byteCount
  }

  /// The trace in the contents of a file.
  ///
  /// - Parameter format: how it is written; `nil` to go by its first bytes.
  package init(_ contents: Bytes, format: Format? = nil) throws(TraceError) {
    self = try contents.withUnsafeBytes { buffer throws(TraceError) -> RangeTrace in
      let format = if let format { format } else { try Self.format(of: buffer) }
      return switch format {
      case .rrt: try RangeTrace(rrt: buffer)
      case .csv: try RangeTrace(csv: buffer)
      }
    }
  }

  private static func format(of buffer: UnsafeRawBufferPointer) throws(TraceError) -> Format {
    if buffer.starts(with: rrtMagic) { return .rrt }
    if buffer.starts(with: csvHeader) { return .csv }
    throw TraceError("this is neither an RRT1 trace nor a CSV whose first line is 'offset,length'")
  }
}

/// Why a file is no trace.
package struct TraceError: Error, Equatable {
  /// What is wrong, and where.
  package let message: String

  init(_ message: String) { self.message = message }
}
