#if S3
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  @Suite(.timeLimit(.minutes(2))) struct S3ChecksumTests {
    @Test(arguments: [
      (S3Checksum.Algorithm.crc32, "cbf43926"), (.crc32C, "e3069283"), (.crc64NVME, "ae8b14860a799888"),
      (.sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
      (.sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
    ])
    func `checksums are those that their specifications give for 123456789`(
      _ algorithm: S3Checksum.Algorithm, _ expected: String
    ) {
      #expect(hexadecimal(algorithm.hash(Bytes(Array("123456789".utf8)))) == expected)
      let split = Bytes(concatenating: [Bytes(Array("1234".utf8)), Bytes(Array("56789".utf8))])
      #expect(hexadecimal(algorithm.hash(split)) == expected)
      #expect(algorithm.hash(Bytes([])).count == algorithm.byteCount)
    }

    @Test(arguments: S3Checksum.Algorithm.allCases)
    func `an object is checked by the checksum that is stored with it`(_ algorithm: S3Checksum.Algorithm) async throws {
      try await StoreScene.with { scene in
        let digest = algorithm.hash(Bytes(StoreScene.content(0..<100_000)))
        let field = "x-amz-checksum-\(algorithm.rawValue)"
        scene.store.set {
          $0.checksums = [field: Base64.text(digest), "x-amz-checksum-type": "FULL_OBJECT"]
        }
        let source = scene.source()
        let checksum = try #require(try await source.checksum())
        #expect(checksum.algorithm == algorithm && checksum.byteCount == 100_000)
        #expect(scene.server.log.requests.last?.method == "HEAD" && scene.store.refusals.isEmpty)
        let reader = try await RangeReader(source, [checksum.verifying])
        #expect(Array(try await reader.read(500..<1_500)) == StoreScene.content(500..<1_500))
        await reader.close()
        // The bytes of another object under this one's head.
        scene.store.set { $0.checksums[field] = Base64.text(digest.map { $0 ^ 1 }) }
        let other = scene.source()
        let wrong = try #require(try await other.checksum())
        let failing = try await RangeReader(other, [wrong.verifying])
        let error = await #expect(throws: ReadError.self) { _ = try await failing.read(500..<1_500) }
        #expect(error?.code == .corrupted)
        await failing.close()
      }
    }

    @Test func `a checksum of parts is none of the object, and neither is one that is not known`() async throws {
      let sum = Base64.text([1, 2, 3, 4])
      for fields in [
        [:], ["x-amz-checksum-crc32c": sum, "x-amz-checksum-type": "COMPOSITE"], ["x-amz-checksum-crc32c": "\(sum)-3"],
        ["x-amz-checksum-crc32c": "AQ=="], ["x-amz-checksum-xxhash64": sum, "x-amz-checksum-type": "FULL_OBJECT"],
      ] {
        try await StoreScene.with { scene in
          scene.store.set { $0.checksums = fields }
          let found = try await scene.reading(scene.source()) { try await $0.checksum() }
          #expect(found == nil, "\(fields)")
        }
      }
    }

    @Test func `an object that is not there has no checksum`() async throws {
      try await StoreScene.with { scene in
        let source = scene.source("s3://bucket/other")
        let error = await #expect(throws: ReadError.self) { _ = try await source.checksum() }
        #expect(error?.code == .notFound)
        await source.close()
      }
    }
  }

#endif
