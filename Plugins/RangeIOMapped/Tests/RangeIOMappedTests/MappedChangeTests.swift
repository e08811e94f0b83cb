import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMapped
@testable import RangeIOTestSupport

/// Reads and slices while the file changes under them.
struct MappedChangeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a file that became longer is another, and old slices stay`() async throws {
    let (path, bytes) = try directory.file(count: 5000)
    let all = SyntheticSource.bytes(0..<20_000)
    let reader = try await mappedReader(path)
    let old = try await reader.read(0...)
    try write(all[5000..<20_000], to: path, at: 5000, truncating: false)
    await #expect {
      _ = try await reader.read(0..<10)
    } throws: {
      let error = $0 as? ReadError
      return error?.code == .sourceChanged && error?.message.contains("longer") == true
    }
    await expectError(.sourceChanged) { try await reader.refresh() }
    #expect(old == bytes && old.count == 5000)
    await reader.close()
    #expect(old == bytes)
    await expectError(.invalidConfiguration) {
      _ = try await RangeReader(MappedSource(path), onChange: .follow)
    }
  }

  @Test func `what leaves every byte as it was ends no reader, and what nothing explains does`() async throws {
    let (path, bytes) = try directory.file(count: 50_000)
    let reader = try await mappedReader(path)
    let (hard, moved) = (directory.path("hard"), directory.path("moved"))
    let changes: [() -> CInt] = [
      { chmod(path, 0o400) }, { link(path, hard) }, { unlink(hard) }, { chmod(path, 0o600) }, { rename(path, moved) },
      { rename(moved, path) },
    ]
    for change in changes {
      try #require(change() == 0)
      #expect(try await reader.read(100..<3100) == bytes[100..<3100])
      #expect(try await reader.refresh() == 50_000)
    }
    var before = stat()
    try #require(stat(path, &before) == 0)
    try write(SyntheticSource.bytes(0..<50_000, version: 7), to: path, truncating: false)
    try #require(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
    await expectError(.sourceChanged) { _ = try await reader.read(0..<10) }
    await reader.close()
  }

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied], [0, 1, 4096, 50_000])
  func `a file that was made shorter is another, and no crash`(slices: MappedSource.Slices, left: Int) async throws {
    let (path, _) = try directory.file(count: 300_000)
    let reader = try await mappedReader(path, .init(slices: slices))
    // Mapped, and its page table filled, before it is cut.
    _ = try await reader.read(100_000..<200_000)
    try #require(truncate(path, off_t(left)) == 0)
    for range in [0..<1, 0..<300_000, 100_000..<100_001, 299_999..<300_000, 4000..<5000] {
      await expectError(.sourceChanged) { _ = try await reader.read(range) }
    }
    await expectError(.sourceChanged) { _ = try await reader.read([0..<1, 200_000..<200_010]) }
    await expectError(.sourceChanged) { for try await _ in reader.stream(0..<300_000) {} }
    await expectError(.sourceChanged) { _ = try await reader.refresh() }
    await reader.close()
  }

  @Test func `a file that is cut and grown again while read ends no process`() async throws {
    let (path, bytes) = try directory.file(count: 400_000)
    let served = await withTaskGroup(of: Int.self) { group in
      for reader in 0..<8 {
        group.addTask {
          var served = 0
          // Each round is a new version: a read is answered, by bytes that may be gone by now, or refused.
          for round in 0..<100 {
            // `try?`: opening and reading may fail here; the process must survive, and that is what the test asks.
            guard let source = try? await RangeReader(MappedSource(path)) else { continue }
            let lower = (round * 7919 + reader * 104_729) % max(1, source.byteCount)
            let range = lower..<min(source.byteCount, lower + 10_000)
            // `try?`: as above.
            if let count = try? await source.read(range).count, count == range.count { served += 1 }
            await source.close()
          }
          return served
        }
      }
      group.addTask {
        for _ in 0..<200 {
          truncate(path, 1000)
          // `try?`: a round in which it fails leaves the file short, which is as good.
          try? write(bytes[1000..<400_000], to: path, at: 1000, truncating: false)
          await Task.yield()
        }
        return 0
      }
      return await group.reduce(0, +)
    }
    #expect(served > 0)
  }

  @Test func `a slice whose file was made shorter has lost its pages`() async throws {
    let (path, bytes) = try directory.file(count: 4 * pageSize)
    let reader = try await mappedReader(path)
    let slice = try await reader.read(0...)
    try #require(truncate(path, off_t(pageSize)) == 0)
    // The kernel answers EFAULT where touching the page would raise SIGBUS.
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let (there, gone) = slice.withUnsafeBytes { memory in
      (
        write(ends[1], memory.baseAddress!, 10),
        write(ends[1], memory.baseAddress! + 2 * pageSize, 10) < 0 ? errno : 0
      )
    }
    #expect(there == 10)
    #expect(gone == EFAULT)
    #expect(slice[0..<pageSize] == bytes[0..<pageSize])
    await reader.close()
  }

  @Test func `a file that was replaced is read on, and so are slices of it`() async throws {
    let (path, bytes) = try directory.file(count: 50_000)
    let reader = try await mappedReader(path)
    let old = try await reader.read(0...)
    let (other, _) = try directory.file("other", count: 100, seed: 1)
    try #require(rename(other, path) == 0)
    #expect(try await reader.read(0...) == bytes)
    #expect(old == bytes)
    await reader.close()
    #expect(old == bytes)
  }

  @Test(.timeLimit(.minutes(15)), arguments: [MappedSource.Slices.zeroCopy, .copied])
  func `a reader that refreshes turns to the file that took its place, time and again`(
    slices: MappedSource.Slices
  ) async throws {
    let (path, bytes) = try directory.file(count: 50_000)
    let source = MappedSource(path, configuration: .init(slices: slices))
    // It looks when it is asked to, and not by itself.
    let reader = try await RangeReader(source, onChange: .refresh.polling(every: .seconds(3600)))
    let old = try await reader.read(0...)
    for round in 1...20 {
      let (other, contents) = try directory.file("other", count: 1000 * round, seed: UInt64(round))
      try #require(rename(other, path) == 0)
      #expect(try await reader.refresh() == 1000 * round)
      #expect(try await reader.read(0...) == contents)
    }
    #expect(old == bytes, "slices of the first file stay")
    #if os(Linux)
      try await until { try descriptors(of: path) == 1 }
    #endif
    await reader.close()
    await expectError(.closed) { _ = try await source.renew() }
  }

  @Test func `a description of the file before is told from one of the file that took its place`() async throws {
    let (path, _) = try directory.file(count: 5000)
    try await settle(path)
    let source = MappedSource(path)
    let first = try await source.describe()
    #expect(try await source.renew() === first, "nothing has changed")
    let (other, contents) = try directory.file("other", count: 100, seed: 1)
    try #require(rename(other, path) == 0)
    let second = try await source.renew()
    #expect(second.byteCount == 100)
    await expectError(.sourceChanged) { _ = try await source.read(0..<5000, of: first) }
    if case .here = source.answer(0..<10, of: first) { Issue.record("an answer for a version that is gone") }
    #expect(try await source.read(0..<100, of: second) == contents)
    try #require(unlink(path) == 0)
    #expect(try await source.renew().byteCount == 100, "what is open is there still")
    await source.close()
  }

  @Test func `a file that was rewritten in place shows through, and is another`() async throws {
    let (path, _) = try directory.file(count: 50_000)
    let reader = try await mappedReader(path)
    let old = try await reader.read(0...)
    let other = SyntheticSource.bytes(0..<50_000, version: 7)
    try write(other, to: path, truncating: false)
    await expectError(.sourceChanged) { _ = try await reader.read(0..<10) }
    #expect(old == other, "a slice shows what the file holds now")
    await reader.close()
  }

  @Test func `a file that was removed is read on`() async throws {
    let (path, bytes) = try directory.file(count: 5000)
    let reader = try await mappedReader(path)
    try #require(unlink(path) == 0)
    #expect(try await reader.read(0...) == bytes)
    await reader.close()
  }

  @Test func `a relative path leads where it led when it was opened`() async throws {
    let directory = try CurrentDirectory.temporary()
    for name in ["first", "second"] { try #require(mkdir(directory.path(name), 0o700) == 0) }
    let (_, bytes) = try await directory.file("first/file", count: 100)
    _ = try await directory.file("second/file", count: 200)
    try await CurrentDirectory.comingBack {
      try #require(chdir(directory.path("first")) == 0)
      let source = MappedSource("file")
      let description = try await source.describe()
      #expect(description.name == "file")
      try #require(chdir(directory.path("second")) == 0)
      let renewed = try await source.renew()
      #expect(renewed.byteCount == 100)
      #expect(try await source.read(0..<100, of: renewed) == Bytes(bytes))
      await source.close()
    }
  }
}
