public import Dispatch
public import RangeIO

extension DispatchData {
  /// The bytes of `bytes`, in as many regions as they have pieces, without copying them.
  ///
  /// For writing what was read with `DispatchIO`. The memory of `bytes` stays until Dispatch has let go of every region,
  /// which it may do a little later, on a queue of its own.
  ///
  /// - Complexity: O(number of pieces), two small allocations for each.
  public init(_ bytes: Bytes) {
    var all = DispatchData.empty
    var position = 0
    bytes.forEachSpan { span in
      let piece = bytes.slice(position..<position + span.byteCount)
      position += span.byteCount
      // `.free` and `.unmap` crash on Linux, and free what is not theirs everywhere; a custom deallocator keeps `piece`.
      let region = piece.withUnsafeBytes { memory in
        DispatchData(bytesNoCopy: memory, deallocator: .custom(nil) { withExtendedLifetime(piece) {} })
      }
      all.append(region)
    }
    self = all
  }
}
