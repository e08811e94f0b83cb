import Foundation
import RangeIO
import RangeIOFoundation
import Testing

struct ReadErrorLocalizedTests {
  @Test func `localizedDescription says what failed, what to do, and of which file`() async throws {
    let error: any Error = try #require(
      await #expect(throws: ReadError.self) { _ = try await RangeReader("/no/such/file") })
    #expect(error.localizedDescription.contains("cannot open the file"))
    #expect(error.localizedDescription.contains("check the path"))
    #expect(error.localizedDescription.contains("/no/such/file"))
  }

  @Test func `localizedDescription names the read`() {
    let error: any Error = ReadError(
      .inputOutput, "the disk failed: look at it", context: .init(source: "a.bin", offset: 7, count: 3))
    #expect(error.localizedDescription == "the disk failed: look at it [a.bin, 3 bytes at 7]")
  }
}
