public import Dispatch
public import RangeIO

extension Bytes {
  /// Converts `data` to `Bytes` without copying, with one piece of memory per region.
  ///
  /// Use this for data from `DispatchIO` or another Dispatch API. A slice keeps all of `data` in memory, and
  /// ``backingByteCount`` shows that: call ``compacted()`` on small slices that you keep.
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
    self.init(unsafeShowing: regions, owner: owner)
  }
}

/// Keeps the memory of a `DispatchData` alive.
private final class DispatchDataOwner: @unchecked Sendable {
  // Unchecked: `DispatchData` is immutable here, but not marked Sendable in Swift 6.3.
  let data: DispatchData
  init(_ data: DispatchData) { self.data = data }
}
