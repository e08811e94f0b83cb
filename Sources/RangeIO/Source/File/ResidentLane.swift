import Synchronization
import SystemPackage

/// The fastest lane: copies bytes from the page cache on the caller's own thread, without waiting for the disk.
///
/// `preadv2(RWF_NOWAIT)`, Linux only; see preadv2(2).
final class ResidentLane: Sendable {
  private let file: OpenFile
  /// `false` once this file's system has said that it cannot tell what is resident.
  private let isAvailable = Atomic<Bool>(true)

  init(_ file: OpenFile) { self.file = file }

  /// Fills `buffer` from `range` as far as the page cache has it.
  ///
  /// - Returns: the number of bytes from the start of `range` that were resident.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws(ReadError) -> Int {
    guard isAvailable.load(ordering: .relaxed) else { return 0 }
    do {
      if let filled = try file.syscalls.readWhatIsResident(file.descriptor, buffer, at: range.lowerBound) {
        return filled
      }
      isAvailable.store(false, ordering: .relaxed)
      return 0
    } catch {
      throw .errno(error, "read the file", file.context(range))
    }
  }

  /// Fills `buffers`, which are for `range`, from byte `filled` of it up to byte `end`, as far as the page cache has
  /// it.
  ///
  /// - Returns: the number of bytes filled so far.
  func fill(_ buffers: ScatteredBuffers, after filled: Int, upTo end: Int, from range: ByteRange) throws(ReadError)
    -> Int
  {
    guard isAvailable.load(ordering: .relaxed) else { return filled }
    do {
      let now = try buffers.fillWithResident(
        after: filled, upTo: end, from: range.lowerBound, of: file.descriptor, file.syscalls)
      if let now { return now }
      isAvailable.store(false, ordering: .relaxed)
      return filled
    } catch {
      throw .errno(error, "read the file", file.context(range))
    }
  }
}
