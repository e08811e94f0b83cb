import RangeIO
import RangeIOHTTP
import RangeIOTiers

// Reads ranges of one object with the stages of `RangeReader(contentsOf:)`, and prints what that took as JSON.

let settings = try await Settings(CommandLine.arguments)
var store: any ChunkStore = MemoryStore.sharedRemote
var disk: TieredStore?
if let directory = settings.disk {
  let tiers = try await TieredStore(
    memory: .mebibytes(512), disk: DiskConfiguration(directory: directory, limit: .gibibytes(4)))
  (store, disk) = (tiers, tiers)
}

if let versions = settings.versions {
  let watch = try await VersionWatch(settings, versions)
  let seen = try await watch.run(store)
  print(#"{"a": \#(seen.a), "b": \#(seen.b), "changed": \#(seen.changed), "mixed": \#(seen.mixed)}"#)
} else {
  var configuration = RemoteConfiguration()
  configuration.opening = settings.opening
  if let connections = settings.connections { configuration.maxConnectionsPerHost = connections }
  let output = try Output(settings.output)
  let start = ContinuousClock.now
  let reader = try await RangeReader(contentsOf: settings.url, configuration: configuration, cache: store)
  let opened = ContinuousClock.now
  var pieces: [Bytes] = []
  if settings.way == .stream {
    // Written as they come: the object may be longer than what a program would hold.
    for range in settings.ranges {
      for try await chunk in reader.stream(range) { try output.write(chunk) }
    }
    try output.flush()
  } else {
    for ranges in settings.groups { pieces += try await read(ranges, settings.way, reader) }
  }
  let wall = ContinuousClock.now - start
  let usage = Usage()
  for piece in pieces { try output.write(piece) }
  try output.flush()
  await reader.close()
  print(
    #"{"open": \#((opened - start) / .seconds(1)), "wall": \#(wall / .seconds(1)), "cpu": \#(usage.seconds), "#
      + #""rss": \#(usage.residentBytes)}"#)
}
try await disk?.close()

/// Reads ranges, and returns their bytes in the same order.
@concurrent func read(_ ranges: [Range<Int>], _ way: Settings.Way, _ reader: RangeReader) async throws -> [Bytes] {
  switch way {
  case .call: return try await reader.read(ranges)
  case .tasks:
    return try await withThrowingTaskGroup(of: (Int, Bytes).self) { group in
      for (number, range) in ranges.enumerated() { group.addTask { (number, try await reader.read(range)) } }
      var pieces = [Bytes](repeating: Bytes(), count: ranges.count)
      for try await (number, bytes) in group { pieces[number] = bytes }
      return pieces
    }
  case .turns, .stream:
    var pieces: [Bytes] = []
    for range in ranges { pieces.append(try await reader.read(range)) }
    return pieces
  }
}
