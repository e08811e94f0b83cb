public import Dispatch
public import RangeIO

extension DispatchData {
  /// The bytes of `bytes`, in as many regions as they have pieces, without copying them.
  ///
  /// For writing what was read with `DispatchIO`. The memory of `bytes` stays until Dispatch has released every region,
  /// which it may do a little later, on a queue of its own.
  ///
  /// - Complexity: O(pieces × log pieces), a few small allocations for each piece.
  public init(_ bytes: Bytes) {
    var regions: [DispatchData] = []
    var position = 0
    bytes.forEachSpan { span in
      let piece = bytes.slice(position..<position + span.byteCount)
      position += span.byteCount
      // `.free` and `.unmap` crash on Linux, and free what is not theirs everywhere; a custom deallocator keeps `piece`.
      let region = piece.withUnsafeBytes { memory in
        DispatchData(bytesNoCopy: memory, deallocator: .custom(nil) { withExtendedLifetime(piece) {} })
      }
      regions.append(region)
    }
    // Two and two: each append copies the lists of both, so one after the other would be quadratic.
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
