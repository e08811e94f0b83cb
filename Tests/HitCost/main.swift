// Reads what is at hand, so often that only the reads count: `HitCost memory 10000`. What scripts/check-hit-cost.sh counts
// the instructions of.
import RangeIO
import RangeIOTesting
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

let blockSize = 4096
let byteCount = 64 * blockSize

/// Reads block after block, `count` of them.
func read(_ count: Int, by reader: RangeReader) async throws {
  var sum = 0
  for number in 0..<count {
    let start = number % 64 * blockSize
    sum &+= Int(try await reader.read(start..<start + blockSize)[number % blockSize])
  }
  if sum == 42 { print(sum) }
}

/// A file whose bytes were written just now, and so lie in the page cache.
func file() throws -> String {
  let path = "/tmp/rangeio-hit-cost-\(getpid())"
  let descriptor = try FileDescriptor.open(
    FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
  try descriptor.closeAfter {
    _ = try SyntheticSource.bytes(0..<byteCount).withUnsafeBytes { try descriptor.writeAll($0) }
  }
  return path
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else { fatalError("HitCost memory|file COUNT") }
let path = try file()
switch arguments[1] {
case "memory":
  let store = MemoryStore(limit: .mebibytes(8))
  let reader = try await RangeReader(FileSource(path)) { Caching(store) }
  // A file that has just been written may change again within a tick of the clock, and is not kept before.
  while store.cachedRanges(of: reader.source, within: 0..<byteCount) != [0..<byteCount] {
    _ = try await reader.read(0..<byteCount)
  }
  let before = reader.statistics().source.lanes.reduce(0) { $0 + $1.reads }
  try await read(count, by: reader)
  guard reader.statistics().source.lanes.reduce(0, { $0 + $1.reads }) == before else { fatalError("no hits") }
  await reader.close()
case "file":
  let reader = try await RangeReader(path, cache: .off)
  try await read(count, by: reader)
  guard reader.statistics().source.bytes(by: "resident") == count * blockSize else { fatalError("not resident") }
  await reader.close()
default: fatalError("HitCost memory|file COUNT")
}
unlink(path)
