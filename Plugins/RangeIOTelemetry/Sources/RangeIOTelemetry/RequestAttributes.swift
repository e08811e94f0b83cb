#if Telemetry
  internal import RangeIO
  internal import Tracing

  /// The attributes of a span for a request.
  extension SpanAttributes {
    /// The most ranges that are written out; `rangeio.range.count` says how many there are.
    static let maxRanges = 16

    mutating func add(_ request: ReadRequest, readerName: String?) {
      let more = request.moreRanges
      let ranges = [request.range] + more.prefix(Self.maxRanges - 1)
      set(TelemetryName.ranges.text, value: .stringArray(ranges.map { "\($0)" }))
      set(TelemetryName.rangeCount.text, value: .int64(Int64(1 + more.count)))
      set(TelemetryName.requestSize.text, value: .int64(Int64(request.requestedByteCount)))
      if request.isPrefetch { set(TelemetryName.isPrefetch.text, value: .bool(true)) }
      if let readerName { set(TelemetryName.readerName.text, value: .string(readerName)) }
      let name = SourceName(request.source.name)
      set(name.key.text, value: .string(name.value))
      set(TelemetryName.sourceSize.text, value: .int64(Int64(request.source.byteCount)))
    }
  }

  extension ReadRequest {
    /// The number of bytes requested, over all ranges.
    var requestedByteCount: Int {
      // Ranges lie within the source, but overlapping ones may add up to more than an `Int` holds.
      moreRanges.reduce(range.count) { sum, range in
        let (total, overflow) = sum.addingReportingOverflow(range.count)
        return overflow ? .max : total
      }
    }

    /// All ranges, in order.
    var allRanges: [ByteRange] { [range] + moreRanges }
  }

  /// The end of a read or a fetch.
  extension Tracing.Span {
    /// Ends this span after `error`. A cancelled read is no failure: its caller does not want it any more.
    func end(after error: any Error) {
      updateAttributes { $0.set(TelemetryName.errorType.text, value: .string(ErrorType.of(error))) }
      if !(error is CancellationError) {
        recordError(error)
        setStatus(SpanStatus(code: .error))
      }
      end()
    }
  }
#endif
