import CRangeIOSystem

/// A fixed number of trivial elements, in huge pages where they are many: for tables that are read at random.
///
/// No bounds are checked but in debug builds, and no reference is counted: it lives where one owner has it.
struct LargeArray<Element: BitwiseCopyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  let count: Int
  /// What was mapped; 0 if it came from `malloc`.
  private let mapped: Int

  /// `count` elements whose bytes are all zero: of large ones none is touched before it is used.
  init(zeroed count: Int) {
    self.init(uninitialized: count)
    // Fresh pages are zero.
    if mapped == 0 {
      UnsafeMutableRawPointer(base).initializeMemory(
        as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }
  }

  /// `count` times `element`.
  init(count: Int, repeating element: Element) {
    self.init(uninitialized: count)
    base.initialize(repeating: element, count: count)
  }

  private init(uninitialized count: Int) {
    self.count = count
    let byteCount = count * MemoryLayout<Element>.stride
    let power = 1 << (Int.bitWidth - (byteCount - 1).leadingZeroBitCount)
    if power >= 2 << 20, let pages = rio_map_aligned_pages(power) {
      mapped = power
      base = pages.bindMemory(to: Element.self, capacity: count)
    } else {
      mapped = 0
      base = .allocate(capacity: count)
    }
  }

  deinit {
    if mapped > 0 { rio_unmap_pages(base, mapped) } else { base.deallocate() }
  }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return base[index]
    }
    @inline(__always) set {
      assert(index >= 0 && index < count)
      base[index] = newValue
    }
  }

  /// Makes the first elements those of `other`, which is not longer.
  mutating func copy(_ other: borrowing LargeArray) {
    precondition(other.count <= count)
    base.update(from: other.base, count: other.count)
  }
}
