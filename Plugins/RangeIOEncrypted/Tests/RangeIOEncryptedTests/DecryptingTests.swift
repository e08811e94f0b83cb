#if Encrypted
  import RangeIO
  import RangeIOSupport
  import RangeIOTesting
  import Testing

  @testable import RangeIOEncrypted
  @testable import RangeIOTestSupport

  /// Objects that other programs have encrypted, read by ranges.
  @Suite struct DecryptingTests {
    /// What Python's `cryptography` has encrypted: 50 bytes, each its place.
    struct Object: Sendable, CustomTestStringConvertible {
      let name: String
      let bytes: [UInt8]
      let encryption: @Sendable () throws -> ObjectEncryption
      var isAuthentic = true
      var testDescription: String { name }
    }

    static let key = Array<UInt8>(0..<32)
    static let plain = Array<UInt8>(0..<50)
    static let objects: [Object] = [
      Object(
        name: "counter mode",
        bytes: [UInt8](
          hex:
            "63e4b601b11b4edaf2e4f3d595c1294bf988f60e58b266cd4b9e0b60419249f1d2b122950e6cb9f781dab041f10359afc06c"),
        encryption: { try .counterMode(key: key, counter: [UInt8](repeating: 255, count: 15) + [254]) },
        isAuthentic: false),
      Object(
        name: "S3",
        bytes: [UInt8](
          hex:
            "4703d418c1e0c41c85489d80bde4766293c79527e46e496b207eff9e01741ead21318cdf8be434bf5c8d55c6a4aa0617de68"
            + "1d61bf9a867867334821c67fef331b92"),
        encryption: { try .s3(key: key, nonce: Array(0..<12)) }, isAuthentic: false),
      Object(
        name: "STREAM",
        bytes: [UInt8](
          hex:
            "2a7314284dfed54c593e2b1c0f036f8db52a739895b61510bf951c1dfac1349f48af527dac9e8093a0f68a3c5ab34fa10bc6"
            + "8c631925a9e62cb6af82eb2736e74240570796b037c5199158b987a25fbd43a726c7f07c2daa16ca198fde11c4aca9d62c7d"
            + "6a0629c4378e6520c6abbe536f7d"),
        encryption: { try .stream(key: key, noncePrefix: Array(0..<7), chunkSize: 16) }),
      Object(
        name: "age",
        bytes: [UInt8](
          hex:
            "686561640a32333435363738393a3b3c3d3e3f4041cf37d41979dbf15a21fbc6c73611b9c8ec1031e57ce005e289f68c93a6"
            + "dcf3e43e4362ecf6bd23d261cabc769720f66700c56d6267e2ebcdbcdd774c62ff8e0076e5"),
        encryption: { try .age(fileKey: Array(0..<16), nonce: Array(50..<66), headerSize: 5) }),
    ]

    private static func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      bytes[bit / 8] ^= 1 << (bit % 8)
      return bytes
    }

    private func read(_ object: [UInt8], _ encryption: ObjectEncryption, _ range: ByteRange? = nil) async throws
      -> Bytes
    {
      let reader = try await RangeReader(ContentSource(object), [.decrypting(encryption)])
      let bytes = try await reader.read(range ?? 0..<reader.source.byteCount)
      await reader.close()
      return bytes
    }

    @Test(arguments: objects) func `every range is what was encrypted, and the size is that of the contents`(
      object: Object
    ) async throws {
      let reader = try await RangeReader(ContentSource(object.bytes), [.decrypting(object.encryption())])
      #expect(reader.source.byteCount == 50)
      for lower in 0...50 {
        for upper in lower...50 {
          let found = try await reader.read(lower..<upper)
          #expect(found == Bytes(Self.plain[lower..<upper]))
        }
      }
      await reader.close()
    }

    @Test(arguments: objects.filter(\.isAuthentic)) func `every flipped bit, every cut and another key is an error`(
      object: Object
    ) async throws {
      let start = object.name == "age" ? 21 : 0
      for bit in start * 8..<object.bytes.count * 8 {
        let other = Self.flipping(bit, of: object.bytes)
        await #expect(throws: ReadError.self) { _ = try await read(other, object.encryption()) }
      }
      for count in start + 1..<object.bytes.count {
        // Also cut between two chunks: the last one of what is left was not the last one.
        await #expect(throws: ReadError.self, "\(count)") {
          let bytes = try await read(Array(object.bytes[..<count]), object.encryption())
          if bytes.isEmpty { throw ReadError(.corrupted, "nothing is left that could be wrong") }
        }
      }
    }

    @Test func `chunks that are swapped, left out or added are errors`() async throws {
      let object = Self.objects[2]
      let chunks = [0..<32, 32..<64, 64..<96, 96..<114].map { Array(object.bytes[$0]) }
      for order in [[1, 0, 2, 3], [0, 2, 3], [0, 1, 2], [0, 1, 1, 2, 3], [0, 1, 2, 3, 3]] {
        await #expect(throws: ReadError.self) { _ = try await read(order.flatMap { chunks[$0] }, object.encryption()) }
      }
      do {
        _ = try await read([0, 1, 2].flatMap { chunks[$0] }, object.encryption(), 40..<48)
        Issue.record("an object that was cut short is read")
      } catch let error as ReadError {
        #expect(error.code == .corrupted && error.message.contains("the last one"))
      }
      // A range of other chunks does not see it.
      #expect(
        try await read([0, 1, 2].flatMap { chunks[$0] }, object.encryption(), 0..<32) == Bytes(Self.plain[..<32]))
    }

    @Test func `long objects are read by ranges that cross chunks, and exactly whole chunks too`() async throws {
      for count in [65_535, 65_536, 65_537, 131_072, 300_000] {
        let contents = SyntheticSource.bytes(0..<count)
        let encryption = try ObjectEncryption.stream(key: Self.key, noncePrefix: Array(0..<7), headerSize: 3)
        var object: [UInt8] = [1, 2, 3]
        let chunks = (count + 65_535) / 65_536
        for chunk in 0..<chunks {
          let plain = Array(contents[chunk * 65_536..<min(count, (chunk + 1) * 65_536)])
          var sealed = [UInt8](repeating: 0, count: plain.count + 16)
          let nonce = Array(0..<7) + [0, 0, 0, UInt8(chunk), chunk == chunks - 1 ? 1 : 0]
          let isSealed = sealed.withUnsafeMutableBytes { sealed in
            plain.withUnsafeBytes { GCMCipher(Self.key).encrypt($0, nonce: nonce, context: [], into: sealed) }
          }
          #expect(isSealed)
          object += sealed
        }
        let reader = try await RangeReader(ContentSource(object), [.decrypting(encryption)])
        #expect(reader.source.byteCount == count)
        for range in [0..<count, 65_530..<65_535, count - 1..<count, 0..<1, max(0, count - 70_000)..<count - 1] {
          #expect(try await reader.read(range) == contents[range])
        }
        await reader.close()
      }
    }

    @Test func `counters are numbers of 128 bits, with a carry`() {
      let first = [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 255, count: 8)
      #expect(CounterMode.counter(first, after: 1) == [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8))
      #expect(CounterMode.counter([UInt8](repeating: 255, count: 16), after: 3).last == 2)
      #expect(CounterMode.counter([UInt8](repeating: 0, count: 16), after: 0x1_0203).suffix(3) == [1, 2, 3])
      #expect(CounterMode.counter([UInt8](repeating: 0, count: 16), after: .max).suffix(8) == first.suffix(8))
    }

    @Test func `a cache keeps contents apart by key, and no name shows one`() throws {
      let names = try [Self.key, [UInt8](repeating: 7, count: 32)].flatMap { key in
        [
          try ObjectEncryption.s3(key: key, nonce: Array(0..<12)), try .s3(key: key, nonce: Array(1..<13)),
          try .stream(key: key, noncePrefix: Array(0..<7)), try .counterMode(key: key, counter: Array(0..<16)),
        ].map(\.name)
      }
      #expect(Set(names).count == names.count)
      #expect("\(try ObjectEncryption.s3(key: Self.key, nonce: Array(0..<12)))" == "ObjectEncryption(\(names[0]))")
      #expect(names.allSatisfy { $0.count < 60 })
    }

    @Test func `parameters of other lengths are refused`() {
      #expect(throws: ObjectEncryption.Fault.keyLength) { try ObjectEncryption.s3(key: [1], nonce: Array(0..<12)) }
      #expect(throws: ObjectEncryption.Fault.nonceLength) { try ObjectEncryption.s3(key: Self.key, nonce: [1]) }
      #expect(throws: ObjectEncryption.Fault.keyLength) {
        try ObjectEncryption.age(fileKey: [], nonce: [], headerSize: 1)
      }
      #expect(throws: ObjectEncryption.Fault.size) {
        try ObjectEncryption.stream(key: Self.key, noncePrefix: Array(0..<7), chunkSize: 0)
      }
      #expect(throws: ObjectEncryption.Fault.size) {
        try ObjectEncryption.age(fileKey: Array(0..<16), nonce: Array(0..<16), headerSize: -1)
      }
    }

    @Test(arguments: objects) func `the stage keeps the contract of stages`(object: Object) async throws {
      try await StageConformance.check(Bytes(object.bytes), becomes: Bytes(Self.plain)) {
        .decrypting(try object.encryption())
      }
    }
  }
#endif
