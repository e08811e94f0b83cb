import CRangeIOSystem
import Synchronization

/// Memory for the indices of one store, in lines of the processor's caches, zero. What is given back is used for the same
/// again and stays memory of words until the store ends: a reader without a lock may still look at it.
final class IndexMemory: @unchecked Sendable {
  // Unchecked: the addresses are kept behind a lock, and the memory behind them is accessed only atomically.
  static let line = 64

  private struct State {
    var chunks: [(base: UnsafeMutableRawPointer, mapped: Int)] = []
    var byteCount = 0
    /// The rest of the last chunk.
    var next: UnsafeMutableRawPointer?
    var left = 0
    var free: [Int: [UnsafeMutablePointer<BlockIndex.Word>]] = [:]
  }
  private let state = Locked(State())

  deinit {
    state.withLock { state in
      for chunk in state.chunks {
        if chunk.mapped > 0 { rio_unmap_pages(chunk.base, chunk.mapped) } else { chunk.base.deallocate() }
      }
    }
  }

  /// The bytes that it has from the system.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// Memory of so many bytes, a multiple of a line.
  ///
  /// - Parameter isCleared: whether its words are zero. Those of a directory are not: a reader that has its address from before
  ///   must find a page, be it one of another index.
  func take(_ byteCount: Int, isCleared: Bool) -> UnsafeMutablePointer<BlockIndex.Word> {
    let (address, isUsed) = state.withLock { state -> (UInt, Bool) in
      if let used = state.free[byteCount]?.popLast() { return (UInt(bitPattern: used), true) }
      if state.left < byteCount { Self.addChunk(byteCount, &state) }
      let memory = state.next.unsafelyUnwrapped
      state.next = memory + byteCount
      state.left -= byteCount
      return (UInt(bitPattern: memory), false)
    }
    let words = UnsafeMutablePointer<BlockIndex.Word>(bitPattern: address).unsafelyUnwrapped
    if isUsed, isCleared { for index in 0..<byteCount / 8 { words[index].store(0, ordering: .relaxed) } }
    return words
  }

  func give(_ memory: UnsafeMutablePointer<BlockIndex.Word>, _ byteCount: Int) {
    state.withLock { [address = UInt(bitPattern: memory)] in
      $0.free[byteCount, default: []].append(UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped)
    }
  }

  /// An eighth of the present size, as a huge page if that is large: so little unused memory is kept.
  private static func addChunk(_ least: Int, _ state: inout State) {
    let wanted = max(least, min(2 << 20, max(4096, state.byteCount / 8)))
    let power = 1 << (Int.bitWidth - (wanted - 1).leadingZeroBitCount)
    if power >= 2 << 20, let pages = rio_map_aligned_pages(power) {
      state.chunks.append((pages, power))
      state.next = pages
    } else {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: power, alignment: 2 * line)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: power)
      state.chunks.append((memory, 0))
      state.next = memory
    }
    state.byteCount += power
    state.left = power
  }
}
