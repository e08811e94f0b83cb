import RangeIO
import RangeIOTesting
import Testing

/// Waiting for growth without reading.
@Suite struct WaitForBytesTests {
  private let source = SyntheticSource(byteCount: 100, isAppendOnly: true)

  @Test func `bytes that are there are not waited for, and are not read`() async throws {
    let reader = try await RangeReader(source, onChange: .follow)
    #expect(try await reader.waitForBytes(at: 99))
    #expect(try await reader.waitForBytes(at: 0, until: { true }))
    #expect(source.readCount == 0)
    await reader.close()
  }

  @Test func `growth ends the wait, and the size is the new one`() async throws {
    let reader = try await RangeReader(source, onChange: .follow)
    let waiting = Task { try await reader.waitForBytes(at: 100) }
    source.grow(by: 1)
    #expect(try await waiting.value)
    #expect(reader.byteCount == 101)
    #expect(source.readCount == 0)
    await reader.close()
  }

  @Test func `a source that is over is not waited for, unless its last bytes came meanwhile`() async throws {
    let reader = try await RangeReader(source, onChange: .follow)
    #expect(try await reader.waitForBytes(at: 100, until: { true }) == false)
    let source = source
    let hasGrown = try await reader.waitForBytes(
      at: 100,
      until: {
        source.grow(by: 5)
        return true
      })
    #expect(hasGrown)
    #expect(reader.byteCount == 105)
    await reader.close()
  }

  @Test func `another version, a cancelled task, a closed reader and an error of the question end it`() async throws {
    let reader = try await RangeReader(source, onChange: .follow)
    struct Unknown: Error {}
    await #expect(throws: Unknown.self) { try await reader.waitForBytes(at: 100, until: { throw Unknown() }) }
    let cancelled = Task { try await reader.waitForBytes(at: 100) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    source.rewrite()
    let changed = await #expect(throws: ReadError.self) { try await reader.waitForBytes(at: 100) }
    #expect(changed?.code == .sourceChanged)
    await reader.close()
    let closed = await #expect(throws: ReadError.self) { try await reader.waitForBytes(at: 100) }
    #expect(closed?.code == .closed)
  }
}
