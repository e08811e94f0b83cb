import RangeIO

#if HTTP
  import RangeIOHTTP
#endif

/// Opens sources in one process, reads the same ranges of each in turn, and prints a line for each read: `bytes` in
/// hexadecimal, or `error`, its code, whether it is transient, and its message.
///
/// Usage: Reads [WAY…] SOURCE… -- FIRST:COUNT…
///   SOURCE: an http URL, or a path.
///   WAY: head       opens URLs by HEAD
///        byTime     tells versions by their dates
///        oneByOne   has one connection
///        bare       has no stages: no cache, no retries
///        retrying   has retries only
///        refresh    goes on to new versions
@main struct Reads {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    let known = ["head", "byTime", "oneByOne", "bare", "retrying", "refresh"]
    let ways = Set(arguments.prefix { known.contains($0) })
    let rest = arguments.drop { known.contains($0) }
    let names = rest.prefix { $0 != "--" }
    let ranges = rest.drop { $0 != "--" }.dropFirst().map { $0.split(separator: ":").compactMap { Int($0) } }
    var readers: [RangeReader] = []
    for name in names {
      guard let reader = await printing({ try await open(name, ways) }) else { return }
      readers.append(reader)
    }
    for range in ranges {
      for reader in readers {
        guard let bytes = await printing({ try await reader.read(offset: range[0], count: range[1]) }) else { continue }
        print("bytes", hexadecimal(bytes))
      }
    }
    for reader in readers { await reader.close() }
  }

  /// What `body` returns, or `nil` and a line about its error.
  static func printing<Result>(_ body: () async throws -> Result) async -> Result? {
    do {
      return try await body()
    } catch let error as ReadError {
      print("error", error.code, error.isTransient ? "transient" : "final", error.message)
    } catch {
      print("error", "other", "final", error)
    }
    return nil
  }

  static func open(_ name: String, _ ways: Set<String>) async throws -> RangeReader {
    let onChange: RangeReader.ChangePolicy = ways.contains("refresh") ? .refresh : .fail
    let pipeline: ReadPipeline =
      ways.contains("bare")
      ? [] : ways.contains("retrying") ? .retrying() : .remoteObject(cache: MemoryStore(limit: .mebibytes(64)))
    #if HTTP
      if name.hasPrefix("http") {
        var configuration = RemoteConfiguration()
        if ways.contains("head") { configuration.opening = .head }
        if ways.contains("oneByOne") { configuration.maxConnectionsPerHost = 1 }
        configuration.judgesByTime = ways.contains("byTime")
        return try await RangeReader(HTTPSource(name, configuration: configuration), pipeline, onChange: onChange)
      }
    #endif
    return try await RangeReader(FileSource(name), pipeline, onChange: onChange)
  }

  static func hexadecimal(_ bytes: Bytes) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digits[Int(byte >> 4)]
        text[2 * index + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }
}
