import RangeIO
import RangeIORemote
import RangeIORemoteTesting
import Testing

@testable import OwnRemote

/// A source that is written outside of RangeIO stands what those within do.
@Suite(.timeLimit(.minutes(10))) struct BlobSourceTests {
  private static let key = "dGhlIGtleSBvZiB0aGUgYWNjb3VudA=="

  @Test func `no odd answer makes a wrong read`() async throws {
    try await RemoteConformance.check(secrets: [Self.key, "SharedKey "]) { request in
      request.fields["Authorization"]?.hasPrefix("SharedKey maps:") == true && request.fields["x-ms-date"] != nil
    } _: { origin, configuration in
      let account = try BlobAccount("maps", key: Self.key, endpoint: origin)
      return try BlobSource("2026/a planet.bin", in: "tiles", of: account, configuration: configuration)
    }
  }

  @Test func `many reads of a store that answers oddly have no wrong byte`() async throws {
    let seed = UInt64.random(in: 0..<1 << 48)
    let figures = try await RemoteConformance.read(1_000, seed: seed) { origin, configuration in
      let account = try BlobAccount("maps", key: Self.key, endpoint: origin)
      return try BlobSource("2026/a planet.bin", in: "tiles", of: account, configuration: configuration)
    }
    print("seed \(seed): \(figures)")
    #expect(figures.right > 500)
  }
}
