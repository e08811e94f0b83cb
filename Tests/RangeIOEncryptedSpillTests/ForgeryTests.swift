#if Encrypted
  import RangeIO
  import RangeIOTiers
  import Testing

  @testable import RangeIOTestSupport

  /// Forged directories, whose sums are all right: 1,500 of each, or 43,696 with `RANGEIO_FLIPS=all`.
  @Suite struct ForgeryTests {
    private static let count = TestScale.isDamageComplete ? 43_696 : 1_500

    @Test func `a forged directory that is encrypted never serves a wrong byte`() async throws {
      var forger = try await Forger(isEncrypted: true, seed: 1)
      let all = try #require(try forger.served(forged: false))
      let found = try Self.run(&forger, Self.count)
      TestScale.report(
        "\(Self.count) forged directories, encrypted: \(found.wrong) with wrong bytes, \(found.served) of "
          + "\(all * Self.count) blocks served")
      #expect(found.wrong == 0)
      // Most of it is still found, so that this says something.
      #expect(found.served * 2 > all * Self.count)
    }

    @Test func `without encryption some forgeries are served`() async throws {
      var forger = try await Forger(isEncrypted: false, seed: 1)
      let found = try Self.run(&forger, Self.count)
      TestScale.report("\(Self.count) forged directories, not encrypted: \(found.wrong) with wrong bytes")
      #expect(found.wrong > Self.count / 100)
    }

    private static func run(_ forger: inout Forger, _ count: Int) throws -> (wrong: Int, served: Int) {
      var (wrong, served) = (0, 0)
      for _ in 0..<count {
        do {
          if let found = try forger.served() { served += found } else { wrong += 1 }
        } catch let error as ReadError where error.code == .unsupportedFormat {
          // Forged to be of another version of the format: such a directory is refused.
        }
      }
      return (wrong, served)
    }
  }
#endif
