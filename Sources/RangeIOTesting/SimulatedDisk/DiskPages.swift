/// The bytes of a simulated file, in pages that copies share until one of them is written.
struct DiskPages: Sendable {
  typealias Page = [UInt8]

  static let pageSize = 4096
  static let sectorSize = 512
  static let zeros = Page(repeating: 0, count: pageSize)

  /// The file's length in bytes. What a page holds beyond it is zero.
  private(set) var count = 0
  /// As far as any was written. `nil` reads as zeros.
  private var pages: [Page?] = []
  /// Pages set aside from the start of the file.
  private(set) var reserved = 0
  /// Pages that the file takes of the disk: those set aside, and those written elsewhere.
  private(set) var allocated = 0

  static func pageCount(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) / pageSize }

  subscript(page: Int) -> Page? { page < pages.count ? pages[page] : nil }

  /// Whether writing to `page` takes a page of the disk.
  func isNew(_ page: Int) -> Bool { page >= reserved && self[page] == nil }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let total = max(0, min(buffer.count, count - offset))
    var done = 0
    while done < total {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageSize)
      let part = min(total - done, Self.pageSize - start)
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + part])
      (self[page] ?? Self.zeros).withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + part]))
      }
      done += part
    }
    return total
  }

  /// Writes `bytes`, which lie in `page`, from `start` of it on.
  mutating func write(_ bytes: UnsafeRawBufferPointer, to page: Int, at start: Int) {
    let wasNew = isNew(page)
    var new = self[page] ?? Self.zeros
    place(page, nil)  // or else what follows would copy it
    new.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + bytes.count]).copyMemory(from: bytes)
    }
    place(page, new)
    if wasNew { allocated += 1 }
    count = max(count, page * Self.pageSize + start + bytes.count)
  }

  /// Replaces a page, or makes a hole of it.
  mutating func set(_ page: Int, _ new: Page?) {
    if page >= reserved { allocated += (new == nil ? 0 : 1) - (self[page] == nil ? 0 : 1) }
    place(page, new)
  }

  private mutating func place(_ page: Int, _ new: Page?) {
    if page >= pages.count {
      if new == nil { return }
      while pages.count <= page { pages.append(nil) }
    }
    pages[page] = new
  }

  /// Changes the length. What is cut off reads as zeros if the file grows again.
  mutating func resize(_ count: Int) {
    let kept = Self.pageCount(count)
    while pages.count > kept { if pages.removeLast() != nil, pages.count >= reserved { allocated -= 1 } }
    reserve(min(reserved, kept))
    let isCut = count < self.count
    self.count = count
    if isCut { clearTail() }
  }

  /// Makes what the last page holds beyond the length zero.
  mutating func clearTail() {
    let (page, start) = count.quotientAndRemainder(dividingBy: Self.pageSize)
    guard start > 0, var last = self[page] else { return }
    pages[page] = nil  // or else what follows would copy it
    Self.copy(start..<Self.pageSize, of: Self.zeros, into: &last)
    pages[page] = last
  }

  /// Takes the bytes of `range` from another page. By memcpy: in debug builds, a loop over 4096 bytes takes 100 µs.
  static func copy(_ range: Range<Int>, of other: Page, into page: inout Page) {
    page.withUnsafeMutableBytes { page in
      other.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: page[range]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: $0[range]))
      }
    }
  }

  /// Sets the first `reserved` pages aside, and no more.
  mutating func reserve(_ reserved: Int) {
    guard reserved != self.reserved else { return }
    self.reserved = reserved
    allocated = reserved + pages.dropFirst(reserved).count(where: { $0 != nil })
  }

  /// The pages that the file would take if its first `count` bytes were set aside.
  func allocated(reserving count: Int) -> Int {
    var copy = self
    copy.reserve(max(reserved, Self.pageCount(count)))
    return copy.allocated
  }
}
