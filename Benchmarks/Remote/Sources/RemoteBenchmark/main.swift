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
  let start = ContinuousClock.now
  let reader = try await RangeReader(contentsOf: settings.url, configuration: configuration, cache: store)
  let opened = ContinuousClock.now
  var pieces: [Bytes] = []
  if settings.isInTurn {
    for range in settings.ranges { pieces.append(try await reader.read(range)) }
  } else {
    pieces = try await reader.read(settings.ranges)
  }
  let wall = ContinuousClock.now - start
  let usage = Usage()
  try write(pieces, to: settings.output)
  await reader.close()
  print(
    #"{"open": \#((opened - start) / .seconds(1)), "wall": \#(wall / .seconds(1)), "cpu": \#(usage.seconds), "#
      + #""rss": \#(usage.residentBytes)}"#)
}
try await disk?.close()
