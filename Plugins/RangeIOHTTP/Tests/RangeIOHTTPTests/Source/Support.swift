#if HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// The path of the object in most tests.
  let objectPath = "/object"

  /// Starts a server with one object of `count` bytes, runs `body` with it, and stops it.
  func withServer<Result>(
    _ configuration: LyingServer.Configuration = .init(), count: Int = 100_000,
    _ body: (LyingServer) async throws -> Result
  ) async throws -> Result {
    try await LyingServer.with(configuration) { server in
      server.objects.put(ServedObject(count: count), at: objectPath)
      return try await body(server)
    }
  }

  /// Makes a source of the server's object, runs `body` with it and its description, and closes it.
  func withSource<Result>(
    _ server: LyingServer, _ configuration: RemoteConfiguration = .reading,
    _ body: (HTTPSource, SourceDescription) async throws -> Result
  ) async throws -> Result {
    let source = HTTPSource(server.url(objectPath), configuration: configuration)
    do {
      let result = try await body(source, try await source.describe())
      await source.close()
      return result
    } catch {
      await source.close()
      throw error
    }
  }

  /// The object's bytes.
  func content(_ range: Range<Int>, version: Int = 1) -> Bytes {
    Bytes(ServedObject.content(range, version: version))
  }

  /// Reads `range` and compares it.
  func expectContent(
    _ range: Range<Int>, of source: HTTPSource, _ description: SourceDescription, version: Int = 1
  ) async throws {
    let bytes = try await source.read(range, of: description)
    #expect(bytes == content(range, version: version))
  }

  /// The error that `body` throws.
  func readError(_ body: () async throws -> Void) async throws -> ReadError {
    let error = await #expect(throws: ReadError.self) { try await body() }
    return try #require(error)
  }

  extension RemoteConfiguration {
    /// No proxy of the environment, and the tests' certificate.
    static var test: RemoteConfiguration {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      configuration.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      return configuration
    }
  }

  extension RemoteConfiguration {
    /// The same, opened by HEAD: so each read is a request.
    static var reading: RemoteConfiguration {
      var configuration = test
      configuration.opening = .head
      return configuration
    }
  }

  /// The open descriptors of this process.
  func descriptorCount() throws -> Int {
    #if os(Linux)
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    #else
      try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
    #endif
  }
#endif
