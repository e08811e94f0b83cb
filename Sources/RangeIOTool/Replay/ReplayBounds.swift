#if Tool
import RangeIO
import RangeIOTraces

/// The limits of a replay. A trace is a few bytes a request, whatever the request asks for: so its work is known before
/// any of it is done.
enum ReplayBounds {
  /// The largest trace that is read, in bytes.
  static let traceBytes = 2 << 30
  /// The most requests of a trace. A request takes 16 bytes of memory, and two of a trace at least: so they take 2 GiB, too.
  static let requests = 1 << 27
  /// The most blocks of one request.
  static let requestBlocks = 1 << 24
  /// The most bytes of a request that is read as a whole.
  static let wholeRequestBytes = 4 << 30
  /// The most blocks of all requests together, each counted as often as it is read. They take minutes, and with --sizes some
  /// gigabytes of memory.
  static let blocks = 1 << 28
  /// The most bytes of all requests together, so that no sum of them is too large for a number.
  static let bytes = 1 << 56

  /// Why a trace is not replayed; `nil` if it can be.
  static func fault(of trace: RangeTrace, on grid: BlockGrid, _ order: Replay.Order) -> String? {
    var (blocks, bytes) = (0, 0)
    for (number, request) in trace.requests.enumerated() {
      let count = grid.blocks(covering: request).count
      guard count <= requestBlocks else {
        return "request \(number + 1) of \(request.count) bytes has \(count) blocks, and \(requestBlocks) are the "
          + "most: say a larger --block-size"
      }
      guard order == .block || request.count <= wholeRequestBytes else {
        return "request \(number + 1) of \(request.count) bytes is too large to be read as a whole: say --order block"
      }
      // Neither sum can overflow: a block has 1 GiB at most, and each sum is checked after each request.
      (blocks, bytes) = (blocks + count, bytes + request.count)
      guard blocks <= Self.blocks, bytes <= Self.bytes else {
        return "the first \(number + 1) requests read \(blocks) blocks, and \(Self.blocks) are the most that are "
          + "replayed: say a larger --block-size, or cut the trace"
      }
    }
    return nil
  }
}
#endif
