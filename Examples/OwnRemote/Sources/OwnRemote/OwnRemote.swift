import RangeIO
import RangeIORemote

/// Reads a blob from the service at the URL that the first argument names, with the key in the second, and compares every
/// byte with what `blobs.py` serves.
@main struct OwnRemote {
  static func main() async throws {
    let (endpoint, key) = (CommandLine.arguments[1], CommandLine.arguments[2])
    var configuration = RemoteConfiguration()
    configuration.proxy = .none
    let account = try BlobAccount("maps", key: key, endpoint: endpoint)
    let source = try BlobSource("2026/a planet.bin", in: "tiles", of: account, configuration: configuration)
    let reader = try await RangeReader(
      source, .remoteObject(configuration, cache: MemoryStore(limit: .mebibytes(8))))
    print("opened \(source.object.name): \(reader.byteCount) bytes")
    for range in [0..<16, 500_000..<700_000, 999_990..<1_000_000] {
      let bytes = try await reader.read(range)
      let isRight = bytes.elementsEqual(range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
      print("read \(range): \(isRight ? "right" : "WRONG")")
    }
    await reader.close()

    let stranger = try BlobAccount("maps", key: "c3RyYW5nZXI=", endpoint: endpoint)
    do {
      _ = try await BlobSource("2026/a planet.bin", in: "tiles", of: stranger, configuration: configuration).describe()
    } catch let error as ReadError {
      print("with another key: \(error)")
    }
  }
}
