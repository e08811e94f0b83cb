import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a source says of itself comes from headers and servers: nonsense is refused, and traps nowhere.
struct HostileDescriptionTests {
  private func isPowerOfTwo(_ number: Int) -> Bool { number > 0 && number & (number - 1) == 0 }

  @Test func `a description has a size and a grid whatever it is given`() {
    for size in Hostile.integers {
      // A byte count is not negative.
      for block in Hostile.integers where block >= 0 {
        let source = SourceDescription(id: "a", validator: nil, byteCount: size, preferredBlockSize: .bytes(block))
        #expect(source.byteCount == max(0, size))
        let blockSize = source.preferredBlockSize.bytes
        #expect((1...1 << 30).contains(blockSize) && isPowerOfTwo(blockSize))
      }
      let source = SourceDescription(id: "a", validator: nil, byteCount: size, preferredBlockSize: .bytes(4096))
      for other in Hostile.integers {
        let derived = source.deriving("b", byteCount: other)
        #expect(derived.byteCount == max(0, other))
        _ = source.change(to: derived)
      }
    }
  }

  @Test func `a reader refuses sizes that cannot be`() async throws {
    for size in Hostile.integers {
      for block in Hostile.integers where block >= 0 {
        let source = HostileSource(byteCount: size, blockSize: block)
        if size >= 0, isPowerOfTwo(block) {
          let reader = try await RangeReader(source)
          #expect(reader.byteCount == size)
          await reader.close()
        } else {
          let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(source) }
          #expect(error?.code == .invalidResponse && error?.message.contains("\(size < 0 ? size : block)") == true)
        }
      }
    }
  }

  private struct Shrinking: ReadStage {
    let byteCount: Int
    func describe(_ below: SourceDescription) -> SourceDescription { below.deriving("shrinking", byteCount: byteCount) }
    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { ReadResponse(Bytes()) }
  }

  @Test func `a reader refuses a stage that makes a negative number of bytes`() async throws {
    let error = await #expect(throws: ReadError.self) {
      _ = try await RangeReader(HostileSource(), [.stage(Shrinking(byteCount: -1))])
    }
    #expect(error?.code == .invalidResponse && error?.message.contains("makes -1 bytes of 4097") == true)
  }

  @Test func `a file's block size may be any`() async throws {
    for count in Hostile.counts {
      await survives {
        let source = FileSource("/dev/null", configuration: .init(blockSize: count))
        _ = try await source.describe()
      }
    }
  }

  @Test func `a tree of another size is refused when it is read`() async throws {
    for size in Hostile.integers where size != 4097 {
      let verifying: ReadPipeline = .verifying(
        merkleRoot: [1], byteCount: size, blockSize: .bytes(64), hash: { _ in [1] }, nodes: { _ in [] })
      let reader = try await RangeReader(HostileSource(), [verifying])
      let error = await #expect(throws: ReadError.self) { _ = try await reader.read(0..<1) }
      #expect(error?.code == .invalidConfiguration)
      await reader.close()
    }
  }
}
