public import Dispatch
public import RangeIO

/// Data of Dispatch from bytes.
extension DispatchData {
  /// Converts `bytes` to a `DispatchData` without copying, with one region per piece of memory.
  ///
  /// Use this to write with `DispatchIO` what you have read. The memory of `bytes` stays alive until Dispatch has
  /// released every region, which may be a little later, on its own queue.
  ///
  /// - Complexity: O(pieces × log pieces), a few small allocations for each piece.
  public init(_ bytes: Bytes) {
    var regions: [DispatchData] = []
    var position = 0
    bytes.forEachSpan { span in
      let piece = bytes.slice(position..<position + span.byteCount)
      position += span.byteCount
      // `.free` and `.unmap` crash on Linux, and on every system free memory that is not theirs. A custom deallocator
      // keeps `piece` alive.
      let region = piece.withUnsafeBytes { memory in
        DispatchData(bytesNoCopy: memory, deallocator: .custom(nil) { withExtendedLifetime(piece) {} })
      }
      regions.append(region)
    }
    // Appends in pairs: each append copies the lists of both sides, so appending one by one would be quadratic.
    while regions.count > 1 {
      regions = stride(from: 0, to: regions.count, by: 2).map { index in
        var pair = regions[index]
        if index + 1 < regions.count { pair.append(regions[index + 1]) }
        return pair
      }
    }
    self = regions.first ?? .empty
  }
}

/// Bytes from data of Dispatch.
extension Bytes {
  /// Converts `data` to `Bytes` without copying, with one piece of memory per region.
  ///
  /// Use this for data from `DispatchIO` or another Dispatch API. A slice keeps all of `data` in memory, and
  /// `backingByteCount` shows that: call `compacted()` on small slices that you keep.
  ///
  /// - Complexity: O(number of regions).
  public init(_ data: DispatchData) {
    guard !data.isEmpty else {
      self.init()
      return
    }
    let owner = DispatchDataOwner(data)
    var regions: [UnsafeRawBufferPointer] = []
    // The memory of a region does not move while the data that contains it exists, and `owner` keeps that data.
    owner.data.enumerateBytes { region, _, _ in regions.append(UnsafeRawBufferPointer(region)) }
    self.init(unsafeNoCopy: regions, owner: owner)
  }
}

/// Keeps the memory of a `DispatchData` alive.
private final class DispatchDataOwner: @unchecked Sendable {
  // Unchecked: `DispatchData` is immutable here, but not marked Sendable in Swift 6.3.
  let data: DispatchData
  init(_ data: DispatchData) { self.data = data }
}
