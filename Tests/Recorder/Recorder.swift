import RangeIO
import RangeIOTesting
import SystemPackage

/// Records: adds pieces of random sizes to a file, of bytes that follow from their offset, for tests that follow it.
///
/// Usage: Recorder PATH BYTES SEED
@main enum Recorder {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let byteCount = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
      print("usage: Recorder PATH BYTES SEED")
      return
    }
    var random = SeededGenerator(seed: seed)
    let file = try FileDescriptor.open(
      FilePath(arguments[1]), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
    var position = 0
    while position < byteCount {
      let count = min(byteCount - position, Int.random(in: 1...20_000, using: &random))
      let bytes = SyntheticSource.bytes(position..<position + count, version: seed)
      _ = try bytes.withUnsafeBytes { try file.writeAll($0) }
      position += count
    }
    try file.close()
  }
}
