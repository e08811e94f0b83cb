import CBenchmarkPeers
import Foundation
import RangeIO

/// What a store on disk cannot be faster than: loops of C, and `dd`.
struct SpillFloors: Sendable {
  private let directory: SpillDirectory
  private let written: [Int: Bytes]
  private var readers: [Reader] = []
  private let dd: DD

  private struct Reader: Sendable {
    let name: Contender.Name
    let size: Int
    let directory: SpillDirectory
    let peer: BareDiskPeer
  }

  /// - Parameter blocks: those that are written, by size.
  init(_ topics: [SpillTopic], _ blocks: [Int: [Bytes]], in directory: URL, _ progress: Progress) throws {
    self.directory = try SpillDirectory(empty: directory.appendingPathComponent("floors"))
    written = blocks.mapValues { Bytes(concatenating: $0).contiguous() }
    for topic in topics {
      guard case .hit(let size) = topic else { continue }
      progress.show("writing blocks of \(size >> 10) KiB")
      for (name, isCompressed) in [(Contender.Name.cSpill, true), (.cSpillIdentity, false)] {
        let folder = try SpillDirectory(
          empty: self.directory.url.appendingPathComponent("\(size)-\(isCompressed ? "lz4" : "plain")"))
        let peer = try CompressibleBlocks(blockSize: size, fraction: 0.5)
          .onDisk(folder.url.appendingPathComponent("blocks").path, count: topic.blocks, isCompressed: isCompressed)
        try peer.verify()
        try folder.settle()
        readers.append(Reader(name: name, size: size, directory: folder, peer: peer))
      }
    }
    dd = try DD(written, in: self.directory.url)
  }

  var contenders: [Contender] {
    readers.map { reader in
      Contender(
        reader.name, for: .spill(.hit(size: reader.size)),
        Variant(label: "malloc, pread, checked, free") { job in
          guard case .reads(let offsets, _, _) = job else { preconditionFailure("a job of reads") }
          return try await reader.directory.whileResident {
            let watch = Stopwatch()
            try reader.peer.read(offsets)
            return watch.outcome()
          }
        })
    } + [
      writer(.cWrite, "one thread") { try pwrite($0, $1) },
      writer(.bareLZ4, "one thread, writes nothing") { size, _ in try compress(size) },
      writer(.dd, "from a resident file") { try await dd.copy($0, to: target, syncs: $1) },
      writer(.ddZero, "") { try await dd.zeros($0, to: target, syncs: $1) },
    ]
  }

  private var target: URL { directory.url.appendingPathComponent("written") }

  /// - Parameter write: writes all blocks of a size.
  private func writer(
    _ name: Contender.Name, _ label: String,
    _ write: @escaping @Sendable (_ size: Int, _ syncs: Bool) async throws -> Duration
  ) -> Contender {
    Contender(
      name: name,
      variants: { cell in
        guard case .spill(.write(let size, let durability)) = cell.topic, DD.isThere || name != .dd && name != .ddZero
        else { return [] }
        return [
          Variant(label: label) { _ in
            try directory.settle()
            let watch = Stopwatch()
            let elapsed = try await write(size, durability == .fdatasync)
            var outcome = watch.outcome()
            // By the peer's own clock.
            outcome.elapsed = elapsed
            if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
            return outcome
          }
        ]
      })
  }

  private func pwrite(_ size: Int, _ syncs: Bool) throws -> Duration {
    try bytes(size).withUnsafeBytes { bytes in
      .nanoseconds(
        try SystemFailure.check(
          bench_pwrite_stream(target.path, bytes.baseAddress, bytes.count, 1 << 20, syncs), "write in C"))
    }
  }

  private func compress(_ size: Int) throws -> Duration {
    try bytes(size).withUnsafeBytes { bytes in
      let offsets = Array(stride(from: 0, to: bytes.count, by: size))
      let start = ContinuousClock.now
      _ = try BareLZ4Peer.compress(bytes, blockSize: size, at: offsets)
      return ContinuousClock.now - start
    }
  }

  private func bytes(_ size: Int) -> Bytes {
    guard let bytes = written[size] else { preconditionFailure("bytes of each size that is written") }
    return bytes
  }
}
