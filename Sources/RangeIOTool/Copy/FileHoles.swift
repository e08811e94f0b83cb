#if Tool
import CRangeIOSystem
import RangeIO
import SystemPackage

/// Finds the holes of a file: ranges that its file system does not store, which are zeros and need not be read. Where it
/// cannot tell, there are none.
///
/// Source: lseek(2), SEEK_HOLE.
struct FileHoles: Sendable {
  /// A shorter one is read like data: it costs less than another request.
  static let minByteCount = 64 << 10
  /// The most runs of data that one look passes. Bounds its time and its memory.
  private static let maxRuns = 16_384

  private let file: FileSource

  /// `nil` if `source` is no file.
  init?(_ source: any RangeSource) {
    guard let file = source as? FileSource else { return nil }
    self.file = file
  }

  /// The holes that one look has found.
  struct Found: Equatable, Sendable {
    /// In order.
    var holes: [ByteRange] = []
    /// Up to here they are known.
    var end: Int
  }

  /// Looks for holes from the start of `range` on. Ask again from ``Found/end``, until that is the end of the range.
  ///
  /// - Throws: as `FileSource.withDescriptor`, such as `sourceChanged` if the file is another version than `source`.
  func next(in range: ByteRange, of source: SourceDescription) async throws -> Found {
    guard range.count >= Self.minByteCount else { return Found(end: range.upperBound) }
    return try await file.withDescriptor(of: source, for: range) { Self.look($0.rawValue, range) }
  }

  /// Throws if the file is another version than `source`: what is known of `hole` was true until now if it is not.
  func check(_ hole: ByteRange, of source: SourceDescription) async throws {
    try await file.withDescriptor(of: source, for: hole, mayBlock: false) { _ in }
  }

  private static func look(_ descriptor: CInt, _ range: ByteRange) -> Found {
    // With a position of its own: others may use that of this one.
    let own = rio_open_for_holes(descriptor)
    guard own >= 0 else { return Found(end: range.upperBound) }
    defer { rio_close(own) }
    var found = Found(end: range.lowerBound)
    for _ in 0..<maxRuns where found.end < range.upperBound {
      let data = rio_next_data(own, Int64(found.end))
      let isOnlyHole = data == -Int64(Errno.noSuchAddressOrDevice.rawValue)
      guard data >= 0 || isOnlyHole else { return Found(holes: found.holes, end: range.upperBound) }
      let end = isOnlyHole ? range.upperBound : min(Int(data), range.upperBound)
      if end - found.end >= minByteCount { found.holes.append(found.end..<end) }
      let hole = rio_next_hole(own, Int64(end))
      found.end = hole > Int64(end) ? min(Int(hole), range.upperBound) : range.upperBound
    }
    return found
  }
}
#endif
