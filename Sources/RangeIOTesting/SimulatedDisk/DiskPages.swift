/// The bytes of a simulated file, in pages. Copies share a page until one of them writes to it.
struct DiskPages: Sendable {
  typealias Page = [UInt8]

  static let pageSize = 4096
  static let sectorSize = 512
  static let zeros = Page(repeating: 0, count: pageSize)

  /// The length of the file in bytes. The last page is zero after it.
  private(set) var count = 0
  /// The pages up to the last one ever written. `nil` reads as zeros.
  private var pages: [Page?] = []
  /// The number of pages reserved from the start of the file.
  private(set) var reserved = 0
  /// The number of pages that the file uses on the disk: the reserved ones, and those written elsewhere.
  private(set) var allocated = 0

  static func pageCount(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) / pageSize }

  subscript(page: Int) -> Page? { page < pages.count ? pages[page] : nil }

  /// `true` if writing to `page` uses up a page of the disk.
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

  /// Writes `bytes` to `page`, starting at its byte `start`. They must fit into the page.
  mutating func write(_ bytes: UnsafeRawBufferPointer, to page: Int, at start: Int) {
    let wasNew = isNew(page)
    var new = self[page] ?? Self.zeros
    place(page, nil)  // otherwise the write below would copy it
    new.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + bytes.count]).copyMemory(from: bytes)
    }
    place(page, new)
    if wasNew { allocated += 1 }
    count = max(count, page * Self.pageSize + start + bytes.count)
  }

  /// Replaces a page, or with `nil` makes it a hole.
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

  /// Changes the length. Bytes that are cut off read as zeros if the file grows again.
  mutating func resize(_ count: Int) {
    let kept = Self.pageCount(count)
    while pages.count > kept { if pages.removeLast() != nil, pages.count >= reserved { allocated -= 1 } }
    reserve(min(reserved, kept))
    let isCut = count < self.count
    self.count = count
    if isCut { clearTail() }
  }

  /// Sets the bytes of the last page after the length to zero.
  mutating func clearTail() {
    let (page, start) = count.quotientAndRemainder(dividingBy: Self.pageSize)
    guard start > 0, var last = self[page] else { return }
    pages[page] = nil  // otherwise the write below would copy it
    Self.copy(start..<Self.pageSize, of: Self.zeros, into: &last)
    pages[page] = last
  }

  /// Copies the bytes of `range` from another page. With memcpy: in debug builds, a loop over 4096 bytes takes 100 µs.
  static func copy(_ range: Range<Int>, of other: Page, into page: inout Page) {
    page.withUnsafeMutableBytes { page in
      other.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: page[range]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: $0[range]))
      }
    }
  }

  /// Reserves exactly the first `reserved` pages.
  mutating func reserve(_ reserved: Int) {
    guard reserved != self.reserved else { return }
    self.reserved = reserved
    allocated = reserved + pages.dropFirst(reserved).count(where: { $0 != nil })
  }

  /// The number of pages that the file would use if its first `count` bytes were reserved.
  func allocated(reserving count: Int) -> Int {
    var copy = self
    copy.reserve(max(reserved, Self.pageCount(count)))
    return copy.allocated
  }
}
