public import Dispatch
public import RangeIO

extension Bytes {
  /// The bytes of `data`, in as many pieces as it has regions, without copying them.
  ///
  /// For what arrives from `DispatchIO` or another API of Dispatch. All of `data` stays alive as long as a slice does,
  /// and ``backingByteCount`` says so: call ``compacted()`` on small ones that you keep.
  ///
  /// - Complexity: O(number of regions).
  public init(_ data: DispatchData) {
    guard !data.isEmpty else {
      self.init()
      return
    }
    let owner = DispatchDataOwner(data)
    var regions: [UnsafeRawBufferPointer] = []
    // A region's memory stays where it is as long as the data that holds it, which the owner does.
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
