internal import Cost

/// `TransportCost cost|hold CONTENDER URL SIZE COUNT [TASKS]`
///
/// `cost` reads COUNT ranges of a file of 64 MiB, in which each number of 64 bits is its own offset, and prints what one
/// has cost: microseconds of wall, of the processor, and megabytes a second. `hold` is ``HeldRanges``. One contender a
/// process, so that none inherits the threads and connections of another.
@main enum TransportCost {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 5, let size = Int(arguments[3]), let count = Int(arguments[4]), size >= 16, count > 0,
      let contender = try await contender(
        arguments[1], arguments[2], arguments.count > 5 ? Int(arguments[5]) ?? 32 : 32)
    else { return print("usage: TransportCost cost|hold async|delegate|source|reader URL SIZE COUNT [TASKS]") }
    if arguments[0] == "hold" { return try await HeldRanges(size: size, count: count).run(contender) }
    let work = RangeWork(size: size, byteCount: 64 << 20, tasks: arguments.count > 5 ? Int(arguments[5]) ?? 32 : 32)
    // Connections, pools and pages are made by the first requests.
    _ = try await work.run(max(work.tasks * 4, count / 10), contender)
    print(try await work.run(count, contender).line)
    try await contender.close()
  }

  private static func contender(_ name: String, _ url: String, _ connections: Int) async throws -> (any Contender)? {
    switch name {
    case "async": BareAsync(url: url, connections: connections)
    case "delegate": try BareDelegate(url: url, connections: connections)
    case "source": try await OwnSource(url: url, connections: connections)
    case "reader": try await OwnReader(url: url, connections: connections)
    default: nil
    }
  }
}
