import SystemPackage

/// One read of a file, and how far it has come: of one range, or of several without a gap between them. However ``FileSource``
/// was asked for the bytes, the lanes fill such a read, each from where the one before has left it.
struct FileRead: Sendable {
  let range: ByteRange
  /// The ranges that get memory of their own, of the kind that a store keeps without copying. `nil`: any memory will do.
  let blocks: ArraySlice<ByteRange>?
  /// So many bytes are there.
  var filled: Int
  /// So many of them are in the statistics.
  private var counted: Int
  /// `true` once the resident lane has been asked, on the caller's thread.
  let isTriedHere: Bool
  /// Set if the kernel may have begun to read the rest.
  var begun: BegunReads.Read?
  /// The file's status after the read, if it ``FileLanes/isRemote``: the caller may not ask for it then.
  var status: FileStatus?
  /// The first bytes, from a lane that brings its own memory.
  private var pieces = Bytes()
  /// Memory for all of the range. The bytes after ``pieces`` go there.
  private(set) var buffers: ReadBuffers?

  init(_ range: ByteRange) {
    (self.range, blocks, filled, counted, isTriedHere) = (range, nil, 0, 0, false)
  }

  /// A read of ranges that follow each other without a gap, such as the blocks of a cache.
  init(run: ArraySlice<ByteRange>) {
    (range, blocks, filled, counted, isTriedHere) = (ByteRanges.hull(of: run), run, 0, 0, false)
  }

  /// A read of which the resident lane has filled the first bytes.
  init(_ range: ByteRange, into buffer: WritableBytes, filled: Int) {
    (self.range, blocks, self.filled, counted, isTriedHere) = (range, nil, filled, filled, true)
    buffers = .one(buffer)
  }

  /// The number of bytes that are missing.
  var rest: Int { range.count - filled }
  var isWhole: Bool { filled == range.count }

  /// The number of bytes that came since the last call.
  mutating func takeUncounted() -> Int {
    defer { counted = filled }
    return filled - counted
  }

  /// Makes ``buffers`` if no lane has.
  mutating func allocate(from pool: BufferPool) throws(ReadError) {
    guard buffers == nil else { return }
    guard let blocks else {
      buffers = .one(try pool.buffer(range.count))
      return
    }
    var all: [WritableBytes] = []
    all.reserveCapacity(blocks.count)
    for block in blocks { all.append(try BlockBacking.buffer(block.count)) }
    buffers = all.count == 1 ? .one(all[0]) : .several(all)
  }

  /// Reads into ``buffers``, up to byte `end`, what the page cache has. Returns `false` if the file's system cannot tell.
  mutating func fillWithResident(
    upTo end: Int, of descriptor: CInt, _ syscalls: Syscalls
  ) throws(Errno) -> Bool {
    guard
      let now = try buffers?.fillWithResident(
        after: filled, upTo: end, from: range.lowerBound, of: descriptor, syscalls)
    else { return false }
    filled = now
    return true
  }

  /// Reads into ``buffers`` what is missing, in pieces. Waits for the disk if it must.
  ///
  /// - Parameter goOn: called before each piece; throws if nothing waits for the read any more.
  mutating func fill(inPiecesOf longest: Int, of file: OpenFile, _ goOn: () throws -> Void) throws {
    guard let buffers else { return }
    filled = try fillInPieces(from: filled, to: range.count, ofAtMost: longest, goOn) { [lower = range.lowerBound] in
      try buffers.fill(after: $0, upTo: $1, from: lower, of: file.descriptor, file.syscalls)
    }
  }

  /// The first bytes are in `buffer`, which has room for all of the range.
  mutating func take(_ buffer: WritableBytes, filled: Int) {
    buffers = .one(buffer)
    self.filled = filled
  }

  /// The first bytes are these.
  mutating func take(_ bytes: Bytes) {
    pieces = bytes
    filled = bytes.count
  }

  /// The bytes of a read that is whole.
  var bytes: Bytes {
    guard let buffers else { return pieces }
    if case .one(let buffer) = buffers, pieces.isEmpty { return buffer.bytes(buffer.capacity) }
    let all = Bytes(concatenating: buffers.all.map { $0.bytes($0.capacity) })
    return pieces.isEmpty ? all : Bytes(concatenating: [pieces, all.slice(pieces.count..<range.count)])
  }

  /// The bytes of each block of a read that is whole.
  var parts: [Bytes] {
    guard pieces.isEmpty, let buffers else { return bytes.cut(from: range.lowerBound, at: blocks ?? [range]) }
    return buffers.all.map { $0.bytes($0.capacity) }
  }
}

/// One way to read a file. ``FileLanes`` says which lanes a file has, and in which order they are asked: nothing else knows.
protocol FileLane: Sendable {
  var name: LaneName { get }

  /// Fills of `reads` what is missing, all at once if it can. It may leave any bytes out, and need not say why: the next lane
  /// goes on there. What the last lane leaves out is not in the file.
  func fill(_ reads: inout [FileRead]) async throws

  /// Ends what is in flight. Reads that come later fail.
  func stop()

  /// The file is closed early, although reads of it may be in flight: they find that it has become another file. May wait.
  func release()

  /// Closes what the lane has opened. It must be stopped and the gate drained.
  func close() async throws
}

extension FileLane {
  func stop() {}
  func release() {}
  func close() async throws {}
}

/// Fills up to byte `end` in pieces, so that a read that is no longer wanted ends early.
///
/// - Parameters:
///   - start: so many bytes are filled already.
///   - goOn: called before each piece; throws if nothing waits for the read any more.
///   - fill: fills up to byte `end`, after the first `filled` bytes, and returns how many are filled then. Fewer than it
///     was asked for end the read.
/// - Returns: the number of bytes filled.
@inline(__always) func fillInPieces(
  from start: Int = 0, to end: Int, ofAtMost longest: Int, _ goOn: () throws -> Void,
  _ fill: (_ filled: Int, _ end: Int) throws -> Int
) throws -> Int {
  var filled = start
  while filled < end {
    try goOn()
    let next = end - filled > longest ? filled + longest : end
    filled = try fill(filled, next)
    if filled < next { break }
  }
  return filled
}
