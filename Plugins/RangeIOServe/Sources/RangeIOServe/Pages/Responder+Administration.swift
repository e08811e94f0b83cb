#if Serve
  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif
  internal import HTTPTypes
  internal import NIOCore
  internal import RangeIO
  internal import RangeIOSupport

  // What the server tells of itself, below `/-/`.

  extension Responder {
    func administration(_ target: RequestTarget, _ head: HTTPRequest, _ client: ConnectedClient) async throws -> Answer
    {
      guard mayAdminister(client) else { return .line(.notFound) }
      switch target.names.dropFirst() {
      case ["stats"]: return try stats(target, head)
      case ["explain"]:
        do { return try await explain(target) } catch { return try failure(error, target) }
      default: return .line(.notFound)
      }
    }

    private func mayAdminister(_ client: ConnectedClient) -> Bool {
      switch configuration.administration {
      case .everyone: true
      case .nobody: false
      case .local: client.isLocal
      }
    }

    private struct Stats: Encodable {
      let server: ServerCounters.Snapshot
      let clients: Int
      let connections: Int
      let answers: Int
      let openObjects: Int
      let readers: ReaderSum
      /// Those that the program adds, beside the others.
      let added: [String: any Encodable & Sendable]

      private struct Name: CodingKey {
        let stringValue: String
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        var intValue: Int? { nil }
        init?(intValue: Int) { nil }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in added { try container.encode(AnyEncodable(value: value), forKey: Name(name)) }
        try container.encode(server, forKey: Name("server"))
        try container.encode(clients, forKey: Name("clients"))
        try container.encode(connections, forKey: Name("connections"))
        try container.encode(answers, forKey: Name("answers"))
        try container.encode(openObjects, forKey: Name("openObjects"))
        try container.encode(readers, forKey: Name("readers"))
      }
    }

    /// The statistics of all open readers, summed up.
    private struct ReaderSum: Encodable {
      var reads = 0
      var bytes = 0
      var failures = 0
      var cacheHits = 0

      init(_ all: [RangeReader.Statistics]) {
        for one in all {
          reads += one.reads
          bytes += one.bytes
          failures += one.failures
          cacheHits += one.cacheHits ?? 0
        }
      }
    }

    private struct AnyEncodable: Encodable {
      let value: any Encodable & Sendable

      func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    /// JSON; with `?format=prometheus`, and for what accepts that, the text of Prometheus.
    private func stats(_ target: RequestTarget, _ head: HTTPRequest) throws -> Answer {
      let counts = clients.counts
      let stats = Stats(
        server: counters.snapshot, clients: counts.clients, connections: counts.connections, answers: counts.answers,
        openObjects: mounts.openObjects, readers: ReaderSum(mounts.readers),
        added: statistics())
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      let json = try encoder.encode(stats)
      let fields: HTTPFields = [.cacheControl: "no-store"]
      // What Prometheus sends: `application/openmetrics-text;…,text/plain;version=0.0.4;…`.
      let accepts = head.headerFields[.accept] ?? ""
      let isMetrics = target.parameter("format").map { $0 == "prometheus" } ?? accepts.contains("version=0.0.4")
      guard isMetrics else {
        return .text(.ok, String(decoding: json, as: UTF8.self) + "\n", type: "application/json", fields)
      }
      let text = try MetricsText(json: json).text
      return .text(.ok, text, type: "text/plain; version=0.0.4; charset=utf-8", fields)
    }

    /// Where the bytes of a range would come from now: `?path=/a.bin&range=0-4095`.
    private func explain(_ target: RequestTarget) async throws -> Answer {
      guard let path = target.bytes(of: "path"), let wanted = RequestTarget(decoded: path) else {
        return .line(.badRequest, advice: "say what to explain: ?path=/a.bin&range=0-4095")
      }
      guard case .below(let pool, let names) = try mounts.place(of: wanted.names),
        case .object(let object) = try await pool.find(names)
      else { throw ReadError.nothingServed }
      let size = object.version.size
      var range = 0..<size
      if let text = target.parameter("range") {
        guard let first = RangeField("bytes=" + text)?.elements.first?.resolved(in: size) else {
          return .line(.badRequest, advice: "write the range as in &range=0-4095; there are \(size) bytes")
        }
        range = first
      }
      guard range.count <= Self.maxExplained else {
        let text = "ask for at most \(Self.maxExplained) bytes: &range=0-\(Self.maxExplained - 1)\n"
        return .text(.badRequest, text, type: "text/plain; charset=utf-8")
      }
      let json = try await AsideWork.value { [range] in try await Self.explanation(of: range, in: object.reader) }
      return .text(.ok, json + "\n", type: "application/json", [.cacheControl: "no-store"])
    }

    /// The most bytes whose places are looked up for one request.
    private static let maxExplained = 1 << 30

    private struct Part: Encodable {
      let first: Int
      let last: Int
      let origin: String
      let notes: [String]
    }

    private static func explanation(of range: Range<Int>, in reader: RangeReader) async throws -> String {
      let parts = try await reader.explain(range).parts.map {
        Part(first: $0.range.lowerBound, last: $0.range.upperBound - 1, origin: "\($0.origin)", notes: $0.notes)
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(parts), as: UTF8.self)
    }
  }
#endif
