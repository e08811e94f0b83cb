import Foundation
import RangeIO

/// Bytes that a shift by one does not leave alone.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

/// `content` in pieces of at most `size` bytes, each in memory of its own.
func cut(_ content: [UInt8], every size: Int) -> Bytes {
  Bytes(
    concatenating: stride(from: 0, to: content.count, by: size).map {
      Bytes(content[$0..<min($0 + size, content.count)])
    })
}

extension Bytes {
  var address: UnsafeRawPointer? { withUnsafeBytes { $0.baseAddress } }

  var pieceCounts: [Int] {
    var counts: [Int] = []
    forEachSpan { counts.append($0.byteCount) }
    return counts
  }
}

extension Data {
  var address: UnsafeRawPointer? { withUnsafeBytes { $0.baseAddress } }
}

/// Memory that is overwritten before it is freed, and whose end can be observed.
final class Witness: @unchecked Sendable {
  // Unchecked: written in `init` and `deinit` only.
  let memory: UnsafeMutableRawBufferPointer
  /// Ends when the memory is freed.
  let isAlive: AsyncStream<Void>
  private let life: AsyncStream<Void>.Continuation

  init(_ content: [UInt8]) {
    memory = .allocate(byteCount: content.count, alignment: 1)
    memory.copyBytes(from: content)
    (isAlive, life) = AsyncStream.makeStream()
  }

  deinit {
    memory.initializeMemory(as: UInt8.self, repeating: 0xDD)
    memory.deallocate()
    life.finish()
  }

  var bytes: Bytes { Bytes(unsafeNoCopy: UnsafeRawBufferPointer(memory), owner: self) }
}
