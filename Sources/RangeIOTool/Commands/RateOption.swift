#if Tool
import ArgumentParser
import RangeIO

/// The option of the commands that may read much.
struct RateOption: ParsableArguments {
  @Option(help: ArgumentHelp("Read at most so many bytes a second: 500K, 10MB.", valueName: "bytes"))
  var limitRate: String?

  var bytesPerSecond: Int? {
    get throws(ToolFailure) {
      guard let limitRate else { return nil }
      guard let count = ByteCount(limitRate), count.bytes > 0 else {
        throw .usage("--limit-rate: '\(limitRate)' is not a number of bytes a second: write 500K or 10MB")
      }
      return count.bytes
    }
  }
}
#endif
