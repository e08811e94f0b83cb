package import CRangeIOSystem
package import SystemPackage

/// Buffers that are written one after the other, by as few system calls as there can be: pwritev(2).
package struct GatheredBuffers {
  /// What one call takes at most. `IOV_MAX` is 1024 or more everywhere; macOS wants the bytes of a call to fit 31 bits.
  package static let partsPerCall = 256
  package static let bytesPerCall = 1 << 30

  private let parts: [UnsafeRawBufferPointer]
  /// The first part with bytes not yet written, and how many of its bytes are.
  private var next = 0
  private var written = 0

  package init(_ parts: [UnsafeRawBufferPointer]) { self.parts = parts }

  /// Writes everything from `offset` of a file on by `call`, which returns the bytes written, or `-errno`.
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
      // What takes nothing now, and does not say why, has no room.
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
        // pwritev does not write to what a vector names.
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
