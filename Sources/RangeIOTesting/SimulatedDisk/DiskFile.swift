import RangeIO
import SystemPackage

/// A file: its bytes as processes see them, its bytes after a power loss, and the pages that differ.
final class DiskFile: DiskNode, @unchecked Sendable {
  /// A page that was written after it was last durable.
  struct Dirty {
    /// Some of its states between the durable one and the current one: any of them may have reached the disk.
    var between: [DiskPages.Page?] = []
    /// After a failed sync the system regards the page as clean, and does not write it again.
    var isGivenUp = false

    static let maxBetween = 3
  }

  var seen = DiskPages()
  var durable = DiskPages()
  var dirty: [Int: Dirty] = [:]

  override var status: DiskStatus {
    DiskStatus(
      kind: .file, size: seen.count, allocatedSize: seen.allocated * DiskPages.pageSize, owner: owner, mode: mode,
      linkCount: isLinked ? 1 : 0)
  }

  /// Writes the first `most` bytes of `parts`, as far as there is room.
  ///
  /// - Parameter room: the pages that the disk has left.
  /// - Returns: the number of bytes written.
  func write(_ parts: [UnsafeRawBufferPointer], most: Int, at offset: Int, room: Int) -> Int {
    let limit = seen.allocated + room
    var written = 0
    for part in parts {
      var done = 0
      while done < part.count, written < most {
        let (page, start) = (offset + written).quotientAndRemainder(dividingBy: DiskPages.pageSize)
        guard !seen.isNew(page) || seen.allocated < limit else { return written }
        let count = min(part.count - done, DiskPages.pageSize - start, most - written)
        willChange(page)
        seen.write(UnsafeRawBufferPointer(rebasing: part[done..<done + count]), to: page, at: start)
        done += count
        written += count
      }
    }
    return written
  }

  func resize(_ count: Int) {
    // The page that contains the new end, and all after it.
    let first = count / DiskPages.pageSize
    for page in first..<max(first, DiskPages.pageCount(seen.count)) where seen[page] != nil { willChange(page) }
    seen.resize(count)
  }

  func allocate(_ count: Int, room: Int) throws(Errno) {
    guard seen.allocated(reserving: count) - seen.allocated <= room else { throw .noSpace }
    seen.reserve(max(seen.reserved, DiskPages.pageCount(count)))
    if count > seen.count { seen.resize(count) }
  }

  private func willChange(_ page: Int) {
    guard var state = dirty[page] else {
      dirty[page] = Dirty()
      return
    }
    if state.between.count < Dirty.maxBetween { state.between.append(seen[page]) }
    state.isGivenUp = false
    dirty[page] = state
  }

  override func sync() {
    for (page, state) in dirty where !state.isGivenUp {
      durable.set(page, seen[page])
    }
    dirty = dirty.filter(\.value.isGivenUp)
    durable.resize(seen.count)
    durable.reserve(seen.reserved)
  }

  func failSync() {
    for page in dirty.keys { dirty[page]?.isGivenUp = true }
  }
}
