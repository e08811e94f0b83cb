import Synchronization
import SystemPackage

/// The fastest lane: copies bytes from the page cache on the caller's own thread, without waiting for the disk.
///
/// `preadv2(RWF_NOWAIT)`, Linux only; see preadv2(2).
final class ResidentLane: FileLane {
  private let context: LaneContext
  /// The file's. At hand, since each use through the file would count a reference that all tasks share.
  private let syscalls: Syscalls
  private let device: BegunReads?
  /// `false` once this file's system has said that it cannot tell what is resident.
  private let isAvailable = Atomic<Bool>(true)

  /// - Parameter device: what is known of reads that the kernel begins when this lane has asked for them.
  init(_ context: LaneContext, device: BegunReads?) {
    self.context = context
    syscalls = context.file.syscalls
    self.device = device
  }

  var name: LaneName { .resident }

  /// Fills `buffer` from `range` as far as the page cache has it. Returns the number of bytes from the start of `range`
  /// that were resident. Most reads of files are this one.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws(ReadError) -> Int {
    var filled: Int?
    try attempt(range) { () throws(Errno) in
      filled = try syscalls.readWhatIsResident(context.file.descriptor, buffer, at: range.lowerBound)
      return filled != nil
    }
    return filled ?? 0
  }

  func fill(_ reads: inout [FileRead]) async throws {
    for index in reads.indices {
      if !reads[index].isTriedHere { try fillInPieces(&reads[index]) }
      try look(for: &reads[index], isAlone: reads.count == 1)
    }
  }

  private func fillInPieces(_ read: inout FileRead) throws {
    _ = try RangeIO.fillInPieces(
      from: read.filled, to: read.range.count, ofAtMost: LaneThreshold.residentPiece, context.work.goOn
    ) { _, end in
      try fill(&read, upTo: end)
      return read.filled
    }
  }

  private func fill(_ read: inout FileRead, upTo end: Int) throws(ReadError) {
    try read.allocate(from: context.pool)
    try attempt(read.range) { () throws(Errno) in
      try read.fillWithResident(upTo: end, of: context.file.descriptor, syscalls)
    }
  }

  /// - Parameter read: `false` if the file's system cannot tell what is resident.
  @inline(__always) private func attempt(_ range: ByteRange, _ read: () throws(Errno) -> Bool) throws(ReadError) {
    guard isAvailable.load(ordering: .relaxed) else { return }
    do throws(Errno) {
      if try !read() { isAvailable.store(false, ordering: .relaxed) }
    } catch {
      throw context.file.failure(error, of: range)
    }
  }

  /// Looks a while for what the kernel has begun to read, having been asked for it, if all the rest of `read` is that.
  private func look(for read: inout FileRead, isAlone: Bool) throws(ReadError) {
    guard let device, !read.isWhole, read.rest <= LaneThreshold.maxBegunBytes, isAvailable.load(ordering: .relaxed)
    else {
      return
    }
    let begun = device.began(besideOthers: !isAlone)
    read.begun = begun
    let isThere = try device.look(for: begun) { () throws(ReadError) in
      try fill(&read, upTo: read.range.count)
      return read.isWhole
    }
    if isThere { device.came(begun) }
  }
}
