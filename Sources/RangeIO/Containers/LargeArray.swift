import CRangeIOSystem

/// A fixed number of trivial elements, in huge pages if they are many: for tables with random access.
///
/// It checks bounds only in debug builds and counts no references: it has one owner.
struct LargeArray<Element: BitwiseCopyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  let count: Int
  /// The mapped size; 0 if the memory came from `malloc`.
  private let mapped: Int

  /// Creates `count` elements whose bytes are all zero. A large array touches no memory before it is used.
  init(zeroed count: Int) {
    self.init(uninitialized: count)
    // Fresh pages are zero.
    if mapped == 0 {
      UnsafeMutableRawPointer(base).initializeMemory(
        as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }
  }

  /// Creates `count` copies of `element`.
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

  /// The elements, for as long as this lasts.
  var elements: UnsafePointer<Element> { UnsafePointer(base) }

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

  /// Overwrites the first elements with those of `other`, which must not be longer.
  mutating func copy(_ other: borrowing LargeArray) {
    precondition(other.count <= count)
    base.update(from: other.base, count: other.count)
  }
}
