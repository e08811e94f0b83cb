import Foundation
import RangeIO
import RangeIOTiers

// The library's own sources, one after the other, in chunks of 64 KiB.
let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
let paths = try FileManager.default.subpathsOfDirectory(atPath: package + "/Sources").filter { $0.hasSuffix(".swift") }
var data = Data()
for path in paths.sorted() { data += try Data(contentsOf: URL(fileURLWithPath: package + "/Sources/" + path)) }
check(data.count > 1 << 16, "too few sources in \(package)")
let chunks = stride(from: 0, to: data.count, by: 1 << 16).map { [UInt8](data[$0...].prefix(1 << 16)) }

print("the sources of RangeIO: \(data.count) bytes")
let codecs: [(name: String, codec: any ChunkCodec)] = [
  ("LZ4", BuiltInCodec.lz4()), ("zstd, level 1", ZstdCodec(level: 1)), ("zstd, level 3", ZstdCodec()),
]
let sizes = codecs.map { name, codec in
  let size = chunks.reduce(0) { $0 + roundTrip($1, by: codec) }
  print("\(name): \(size) bytes, \(size * 100 / data.count)%; every byte came back")
  return size
}
check(sizes[2] < sizes[0], "zstd is no smaller than LZ4")
