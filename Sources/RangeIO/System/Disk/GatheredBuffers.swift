import CRangeIOSystem
import SystemPackage

/// Buffers to write one after the other, with as few system calls as possible: pwritev(2).
struct GatheredBuffers {
  /// The limits of one call. `IOV_MAX` is 1024 or more everywhere; on macOS the bytes of a call must fit 31 bits.
  static let partsPerCall = 256
  static let bytesPerCall = 1 << 30

  private let parts: [UnsafeRawBufferPointer]
  /// The first part with unwritten bytes, and how many of its bytes are written.
  private var next = 0
  private var written = 0

  init(_ parts: [UnsafeRawBufferPointer]) { self.parts = parts }

  /// Writes everything to a file from `offset` on. `call` returns the bytes written, or `-errno`.
  package consuming func write(
    at offset: Int, _ call: (UnsafeBufferPointer<iovec>, _ offset: Int) -> Int
  ) throws(Errno) {
    var offset = offset
    while let group = nextGroup() {
      let result = group.withUnsafeBufferPointer { call($0, offset) }
      switch result {
      case 1...:
        offset += result
        advance(result)
      // A disk that takes nothing and does not say why has no room.
      case 0: throw .noSpace
      default: if Errno(result: result) != .interrupted { throw Errno(result: result) }
      }
    }
  }

  private func nextGroup() -> [iovec]? {
    var group: [iovec] = []
    var (room, skip) = (Self.bytesPerCall, written)
    for part in parts[next...] {
      guard room > 0, group.count < Self.partsPerCall else { break }
      let count = min(part.count - skip, room)
      if count > 0, let base = part.baseAddress {
        // pwritev does not write to the memory of a vector.
        group.append(iovec(iov_base: UnsafeMutableRawPointer(mutating: base + skip), iov_len: count))
      }
      room -= count
      skip = 0
    }
    return group.isEmpty ? nil : group
  }

  private mutating func advance(_ count: Int) {
    written += count
    while next < parts.count, written >= parts[next].count {
      written -= parts[next].count
      next += 1
    }
  }
}
