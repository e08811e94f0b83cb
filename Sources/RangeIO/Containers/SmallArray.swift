/// An array with its first element inline: for lists that nearly always have one element, and then allocate nothing.
package struct SmallArray<Element>: RandomAccessCollection {
  private var head: Element?
  private var tail: ContiguousArray<Element> = []

  /// Creates an empty array.
  init() {}

  package var startIndex: Int { 0 }
  package var endIndex: Int { head == nil ? 0 : tail.count + 1 }

  package subscript(position: Int) -> Element {
    guard position == 0 else { return tail[position - 1] }
    guard let head else { preconditionFailure("no first element") }
    return head
  }

  package mutating func append(_ element: Element) {
    if head == nil { head = element } else { tail.append(element) }
  }

  /// Replaces the last element, which must exist, with `element`.
  mutating func replaceLast(with element: Element) {
    if tail.isEmpty { head = element } else { tail[tail.count - 1] = element }
  }
}

extension SmallArray: Sendable where Element: Sendable {}

extension SmallArray: Equatable where Element: Equatable {}

extension SmallArray: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Element...) { for element in elements { append(element) } }
}

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
