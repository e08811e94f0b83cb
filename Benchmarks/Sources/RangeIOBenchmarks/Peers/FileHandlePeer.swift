import Foundation

/// Foundation's FileHandle: `seek` and `read(upToCount:)`.
///
/// - A handle has one position, so every one of 32 readers has a handle of its own.
/// - It blocks, so its readers are threads, as in C: in tasks it would hold Swift's few threads, and of 32 reads only
///   one a core could wait for the disk.
/// - For streams the length of a read decides: 128 KiB, 1 MiB and 4 MiB are tried.
struct FileHandlePeer: Sendable {
  private let file: BenchmarkFile

  static func contender(_ file: BenchmarkFile) -> Contender {
    let peer = FileHandlePeer(file: file)
    return Contender(name: .fileHandle) { cell in
      switch cell.workload {
      case .reads(_, let concurrency): [peer.variant(concurrency == 1 ? "one handle" : "a handle and a thread each")]
      case .stream: [128 << 10, 1 << 20, 4 << 20].map(peer.streamVariant)
      }
    }
  }

  private func variant(_ label: String) -> Variant {
    Variant(label: label) { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      return try await run(offsets, size, concurrency)
    }
  }

  private func streamVariant(_ length: Int) -> Variant {
    Variant(label: "reads of \(length >> 10) KiB") { job in
      guard case .stream(let byteCount) = job else { preconditionFailure("a job of streaming") }
      return try await stream(byteCount, length)
    }
  }

  @concurrent private func run(_ offsets: [Int], _ size: Int, _ concurrency: Int) async throws -> Outcome {
    let handles = try (0..<concurrency).map { _ in try open() }
    let clock = ContinuousClock()
    let start = clock.now
    if concurrency == 1 {
      for offset in offsets { try Self.read(handles[0], offset, size) }
    } else {
      let results = AsyncStream<Result<Void, any Error>>.makeStream()
      let tickets = Tickets()
      for handle in handles {
        Thread.detachNewThread {
          results.continuation.yield(
            Result {
              while case let ticket = tickets.take(), ticket < offsets.count {
                try Self.read(handle, offsets[ticket], size)
              }
            })
        }
      }
      for await result in results.stream.prefix(concurrency) { try result.get() }
    }
    return Outcome(elapsed: clock.now - start)
  }

  @concurrent private func stream(_ byteCount: Int, _ length: Int) async throws -> Outcome {
    let handle = try open()
    let clock = ContinuousClock()
    let start = clock.now
    var check = StreamCheck()
    while check.position < byteCount, let piece = try Self.next(handle, min(length, byteCount - check.position)) {
      try check.take(piece)
    }
    try check.finish(byteCount)
    return Outcome(elapsed: clock.now - start)
  }

  private func open() throws -> FileHandle { try FileHandle(forReadingFrom: URL(fileURLWithPath: file.path)) }

  private static func read(_ handle: FileHandle, _ offset: Int, _ size: Int) throws {
    try handle.seek(toOffset: UInt64(offset))
    guard let piece = try next(handle, size) else { throw WrongBytes(offset: offset, expected: size, got: 0) }
    try piece.check(at: offset, count: size)
  }

  private static func next(_ handle: FileHandle, _ count: Int) throws -> Piece? {
    func read() throws -> Piece? {
      guard let data = try handle.read(upToCount: count), !data.isEmpty else { return nil }
      var word: UInt64 = 0
      _ = withUnsafeMutableBytes(of: &word) { data.copyBytes(to: $0) }
      return Piece(count: data.count, firstWord: UInt64(littleEndian: word))
    }
    #if canImport(ObjectiveC)
      return try autoreleasepool { try read() }
    #else
      return try read()
    #endif
  }
}
