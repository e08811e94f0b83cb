import NIOCore
import NIOPosix
import _NIOFileSystem

/// SwiftNIO's file system: `readChunk` for reads, `readChunks` for streams.
///
/// - Every call hops to a pool of threads. Tried with as many threads as its shared instance has by default (one a
///   core), and with 32, so that 32 cold reads can wait for the disk at once.
/// - For streams the length of a chunk decides: its default of 128 KiB, 1 MiB and 4 MiB are tried.
struct NIOFileSystemPeer: PointReader {
  private let pool: NIOThreadPool
  private let handle: ReadFileHandle

  /// Pools and handles live as long as the contender: starting and opening is not what is measured.
  static func contender(_ file: BenchmarkFile) async throws -> Contender {
    let few = try await NIOFileSystemPeer(file, threads: System.coreCount)
    let many = try await NIOFileSystemPeer(file, threads: 32)
    return Contender(
      name: .nio,
      variants: { cell in
        switch cell.workload {
        case .reads: [few.variant("\(System.coreCount) threads"), many.variant("32 threads")]
        case .stream: [.kibibytes(128), .mebibytes(1), .mebibytes(4)].map(few.streamVariant)
        }
      },
      close: {
        // Its handles trap when they are dropped open.
        for peer in [few, many] {
          try await peer.handle.close()
          try await peer.pool.shutdownGracefully()
        }
      })
  }

  private init(_ file: BenchmarkFile, threads: Int) async throws {
    pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
    handle = try await FileSystem(threadPool: pool).openFile(forReadingAt: FilePath(file.path))
  }

  private func variant(_ label: String) -> Variant {
    Variant(label: label) { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      return try await run(offsets, size, concurrency)
    }
  }

  private func streamVariant(_ chunkLength: ByteCount) -> Variant {
    Variant(label: "chunks of \(chunkLength.bytes >> 10) KiB") { job in
      guard case .stream(let byteCount) = job else { preconditionFailure("a job of streaming") }
      return try await stream(byteCount, chunkLength)
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    try await handle.readChunk(fromAbsoluteOffset: Int64(offset), length: .bytes(Int64(count))).piece
  }

  @concurrent private func stream(_ byteCount: Int, _ chunkLength: ByteCount) async throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    var check = StreamCheck()
    for try await chunk in handle.readChunks(in: 0..<Int64(byteCount), chunkLength: chunkLength) {
      try check.take(chunk.piece)
    }
    try check.finish(byteCount)
    return Outcome(elapsed: clock.now - start)
  }
}

extension ByteBuffer {
  fileprivate var piece: Piece {
    Piece(count: readableBytes, firstWord: getInteger(at: readerIndex, endianness: .little) ?? 0)
  }
}
