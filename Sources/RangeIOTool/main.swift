import RangeIO
@concurrent func go() async throws {
let path = CommandLine.arguments[1]
let reader = try await RangeReader(path)
print(reader.byteCount, try await reader.read(0..<16))
let clock = ContinuousClock()
for _ in 0..<5 {
var x = 0
var t = clock.now
var seed: UInt64 = 1
for _ in 0..<200_000 {
  seed = seed &* 6364136223846793005 &+ 1442695040888963407
  let o = Int((seed >> 33) % 65536) * 4096
  x += try await reader.read(o..<o + 4096).count
}
print("4K", (clock.now - t) / 200_000)
t = clock.now
for _ in 0..<2000 {
  seed = seed &* 6364136223846793005 &+ 1442695040888963407
  let o = Int((seed >> 33) % 255) * 1048576
  x += try await reader.read(o..<o + 1048576).count
}
print("1M", (clock.now - t) / 2000)
t = clock.now
for try await p in reader.stream() { x += p.count }
let d = clock.now - t
print("stream GB/s", Double(reader.byteCount) / Double(d.components.attoseconds) * 1e9, reader.statistics())
}
await reader.close()
}
try await go()
