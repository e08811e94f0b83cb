import SystemPackage

/// swift-system's `FileDescriptor`, read by the tasks themselves: what a program gets that calls `pread` from `async`
/// code. Each read holds one of the threads that all tasks share, so no more reads wait for the disk than there are
/// processors.
struct FileDescriptorPeer: PointReader {
  let descriptor: FileDescriptor

  static func contender(_ file: BenchmarkFile) throws -> Contender {
    let peer = FileDescriptorPeer(descriptor: FileDescriptor(rawValue: try file.open()))
    return Contender(
      name: .fileDescriptor,
      variants: { cell in
        switch cell.workload {
        case .reads(_, let concurrency): [peer.variant(concurrency == 1 ? "one task" : "a task group")]
        case .stream: [peer.variant("windows of 1 MiB")]
        }
      },
      close: { try peer.descriptor.close() })
  }

  private func variant(_ label: String) -> Variant {
    Variant(label: label) { job in
      switch job {
      case .reads(let offsets, let size, let concurrency): try await run(offsets, size, concurrency)
      case .stream(let byteCount): try await stream(byteCount)
      }
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    try piece(at: offset, count: count)
  }

  private func piece(at offset: Int, count: Int) throws -> Piece {
    let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = try descriptor.read(fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
    }
    let word = bytes.withUnsafeBytes { $0.count >= 8 ? UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) : nil }
    return Piece(count: bytes.count, firstWord: word)
  }

  @concurrent private func stream(_ byteCount: Int) async throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    var check = StreamCheck()
    while check.position < byteCount {
      let next = try piece(at: check.position, count: min(1 << 20, byteCount - check.position))
      guard next.count > 0 else { break }
      try check.take(next)
    }
    try check.finish(byteCount)
    return Outcome(elapsed: clock.now - start)
  }
}
