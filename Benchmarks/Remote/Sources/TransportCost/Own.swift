internal import Cost
internal import RangeIO
internal import RangeIOHTTP

extension RemoteConfiguration {
  static func own(connections: Int) -> RemoteConfiguration {
    var configuration = RemoteConfiguration()
    configuration.proxy = .none
    configuration.maxConnectionsPerHost = connections
    return configuration
  }
}

/// Our source alone.
struct OwnSource: Contender {
  let source: HTTPSource
  let description: SourceDescription

  init(url: String, connections: Int) async throws {
    source = HTTPSource(url, configuration: .own(connections: connections))
    description = try await source.describe()
  }

  func read(_ range: Range<Int>) async throws {
    let bytes = try await source.read(range, of: description)
    bytes.withUnsafeBytes { Content.check($0, range) }
  }

  func close() async throws { await source.close() }
}

/// A reader without stages and stores above it: what opening, checking and closing add.
struct OwnReader: Contender {
  let reader: RangeReader

  init(url: String, connections: Int) async throws {
    reader = try await RangeReader(HTTPSource(url, configuration: .own(connections: connections)))
  }

  func read(_ range: Range<Int>) async throws {
    let bytes = try await reader.read(range)
    bytes.withUnsafeBytes { Content.check($0, range) }
  }

  func close() async throws { await reader.close() }
}
