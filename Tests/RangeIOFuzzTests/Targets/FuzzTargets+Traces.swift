import RangeIOTraces

@testable import RangeIO

extension FuzzTargets {
  static let traces: [FuzzTarget] = [
    FuzzTarget(
      "traces",
      seeds: [
        encoded([0..<4096, 8192..<8193, 0..<0], isOpen: false),
        encoded([5..<9, (1 << 62)..<(1 << 62) + 3], isOpen: true),
        Array("offset,length\n0,10\r\n9223372036854775806,1\n\n".utf8),
      ], words: ["RRT1", "offset,length\n", ",", "\r\n", "-1", "9223372036854775807"]
    ) { bytes in
      // `try?`: most inputs are no trace.
      guard let trace = try? RangeTrace(Bytes(bytes), maxRequests: 1 << 16) else { return }
      try promise(
        trace.requests.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= trace.byteCount }, "a read beyond the end")
      try promise(trace.requests.count <= bytes.count, "more reads than bytes")
      for isOpen in [false, true] {
        // `try?`: that it fails is the failure.
        let again = try? RangeTrace(Bytes(encoded(trace.requests, isOpen: isOpen)))
        try promise(again?.requests == trace.requests, "what is recorded of it is another trace")
      }
      let lines = ["offset,length"] + trace.requests.map { "\($0.lowerBound),\($0.count)" }
      // `try?`: as above.
      let again = try? RangeTrace(Bytes(Array((lines.joined(separator: "\n") + "\n").utf8)))
      try promise(again?.requests == trace.requests, "its lines are another trace")
    }
  ]

  /// A trace as `Observing` records it.
  private static func encoded(_ requests: [ByteRange], isOpen: Bool) -> [UInt8] {
    var encoder = TraceEncoder()
    var bytes = TraceEncoder.openHeader
    for request in requests { encoder.encode(request, into: &bytes) }
    let totals = TraceEncoder.totalsOffset
    if !isOpen { bytes.replaceSubrange(totals..<totals + 16, with: encoder.totals) }
    return bytes
  }
}
