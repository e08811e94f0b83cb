internal import CRangeIOMapped
internal import RangeIO
internal import Synchronization
internal import SystemPackage

/// The calls that can fail for a mapped file. They are a table, so that a test can simulate a failing disk or an old
/// kernel. Results are as in `CRangeIOMapped.h`.
struct MappedCalls: Sendable {
  var map: @Sendable (FileDescriptor, _ count: Int, _ error: inout CInt) -> UnsafeMutableRawPointer? = {
    rim_map($0.rawValue, $1, &$2)
  }
  var populate: @Sendable (_ pages: UnsafeMutableRawBufferPointer) -> CInt = { rim_populate($0.baseAddress, $0.count) }
  var isResident: @Sendable (_ pages: UnsafeMutableRawBufferPointer) -> Bool = {
    rim_is_resident($0.baseAddress, $0.count)
  }
  var read: @Sendable (FileDescriptor, UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int = {
    try $0.read(fromAbsoluteOffset: Int64($2), into: $1)
  }
}

/// A file mapped into memory. The mapping lives until its last slice is released: nothing else ends it.
// Unchecked: constants, atomics, and memory that nothing in this process writes to.
final class Mapping: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  /// The mapped bytes, from the start of the file.
  let count: Int
  /// The `SourceDescription.id` of the file. While it is mapped, no other file gets its inode, and so its id.
  let id: String
  /// The name of the file, for errors.
  private let name: String
  private let calls: MappedCalls
  /// `false` once the kernel has reported that it cannot populate pages: before Linux 5.14, and on Apple platforms.
  private let canPopulate = Atomic<Bool>(true)

  /// Maps the file behind `descriptor`, read-only, as long as `source` describes it.
  ///
  /// The mapping is shared, not private. Its pages are those of the page cache and never copies, so it takes no memory
  /// of its own, and a slice shows what the file contains. A private mapping does not guarantee that.
  init(_ descriptor: FileDescriptor, _ source: SourceDescription, _ calls: MappedCalls) throws(ReadError) {
    var error: CInt = 0
    guard let base = calls.map(descriptor, source.byteCount, &error) else {
      throw Self.failure(Errno(rawValue: error), source.name)
    }
    (self.base, count, self.calls) = (base, source.byteCount, calls)
    (id, name) = (source.id, source.name)
  }

  deinit { rim_unmap(base, count) }

  private static func failure(_ errno: Errno, _ name: String) -> ReadError {
    switch errno {
    case .operationNotSupportedByDevice, .permissionDenied, .badAddress, .notSupported, .invalidArgument:
      ReadError(
        .unsupportedSource, "this file system cannot map its files: read it with FileSource", source: name,
        cause: errno)
    case .noMemory:
      ReadError(
        .resourcesExhausted,
        "there is no room in the address space, or there are too many mappings (vm.max_map_count): release slices, "
          + "raise the limit, or read it with FileSource", isTransient: true, source: name, cause: errno)
    default: .errno(errno, "map the file", source: name)
    }
  }

  /// The bytes of `range`, without copying them.
  func bytes(_ range: ByteRange) -> Bytes {
    Bytes(unsafeNoCopy: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count), owner: self)
  }

  /// `true` if the kernel says that all pages of `range` are in memory: for a file of another user it always does.
  func isResident(_ range: ByteRange) -> Bool { calls.isResident(pages(of: range)) }

  /// Tells the kernel how the pages of `range` will be read.
  func advise(_ advice: rim_advice, _ range: ByteRange) {
    let pages = pages(of: range)
    if let base = pages.baseAddress, !pages.isEmpty { rim_advise(base, pages.count, advice) }
  }

  /// The whole pages that contain the bytes of `range`.
  private func pages(of range: ByteRange) -> UnsafeMutableRawBufferPointer {
    let part = range.clamped(to: 0..<count)
    let lower = part.lowerBound & ~(Self.pageSize - 1)
    // The part of the last page after the end is mapped as well.
    let upper = (part.upperBound + Self.pageSize - 1) & ~(Self.pageSize - 1)
    return UnsafeMutableRawBufferPointer(start: base + lower, count: part.isEmpty ? 0 : upper - lower)
  }

  private static let pageSize = rim_page_size()

  // MARK: pages

  /// Loads the pages of `range`, so that they are in memory when they are touched. A problem that would later be a
  /// signal is an error here.
  ///
  /// - Parameters:
  ///   - waits: whether it may wait for the disk, which is then told what is needed.
  ///   - isLeft: whether the read was cancelled or its source closed; asked every few megabytes.
  func faultIn(
    _ range: ByteRange, _ descriptor: FileDescriptor, waits: Bool = true, isLeft: () -> Bool = { false }
  ) throws {
    var rest = range
    while !rest.isEmpty, canPopulate.load(ordering: .relaxed) {
      if isLeft() { throw CancellationError() }
      let step = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + Self.step)
      if waits { advise(rim_will_need, step) }
      let result = calls.populate(pages(of: step))
      if result < 0 { try populateFailed(Errno(rawValue: -result), step, descriptor) }
      if canPopulate.load(ordering: .relaxed) { rest = step.upperBound..<rest.upperBound }
    }
    if !rest.isEmpty { try readAhead(rest, descriptor, isLeft) }
  }

  /// The bytes that are loaded between two calls of `isLeft`: a disk takes some milliseconds for them.
  private static let step = 8 * 1024 * 1024

  /// Throws unless another way may succeed.
  private func populateFailed(_ errno: Errno, _ range: ByteRange, _ descriptor: FileDescriptor) throws {
    switch errno {
    case .invalidArgument, .notSupported: canPopulate.store(false, ordering: .relaxed)
    case .badAddress:
      // Touching it would have raised SIGBUS: the file ends before, or the disk fails. Reading shows which.
      try readAhead(range, descriptor) { false }
      throw ReadError(
        .inputOutput, "a page of the file could not be brought in, and could be read right after: try again",
        isTransient: true, source: name, range: range)
    default: throw errno
    }
  }

  /// Reads `range` through the descriptor and discards the bytes. The pages are then in the page cache, where the
  /// mapping finds them, and a failure is an error.
  private func readAhead(_ range: ByteRange, _ descriptor: FileDescriptor, _ isLeft: () -> Bool) throws {
    // Small enough for the processor's cache, so that the copying costs little compared with the system calls.
    try withUnsafeTemporaryAllocation(byteCount: min(range.count, 65_536), alignment: 16) { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        if isLeft() { throw CancellationError() }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - offset))
        let count = try calls.read(descriptor, part, offset)
        guard count > 0 else {
          throw ReadError(
            .sourceChanged,
            "the file ended \(range.upperBound - offset) bytes early since it was opened: open it again to "
              + "read the new version", source: name, range: range)
        }
        offset += count
      }
    }
  }
}
