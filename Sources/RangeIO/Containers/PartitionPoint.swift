extension RandomAccessCollection where Index == Int {
  /// The first index for whose element `isInSecondPart` is true, by binary search; `endIndex` if there is none.
  ///
  /// The collection must be partitioned: no element of the first part follows one of the second.
  package func partitionPoint(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
