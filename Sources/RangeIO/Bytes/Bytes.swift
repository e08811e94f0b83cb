/// Immutable bytes that are shared, not copied: what every read returns.
///
/// Positions count from zero. Copies and slices share memory and take constant time. Usually the memory is one piece. A
/// read over several cached blocks or windows returns several pieces shown as one: nothing is copied until you ask for
/// it with ``contiguous()`` or ``withUnsafeBytes(_:)``.
///
/// ```swift
/// let header = try await reader.read(0..<4096)
/// guard let version = header.integer(at: 8, as: UInt32.self, .bigEndian) else { throw Malformed() }
/// let name = String(decoding: header[16..<32], as: UTF8.self)
/// ```
///
/// A small slice keeps its whole backing alive (see ``backingByteCount``). Call ``compacted()`` on slices that you keep
/// for long.
public struct Bytes: @unchecked Sendable {
  // Unchecked: `base` points into memory that `owner` keeps alive and that no code writes to.

  /// Keeps the memory alive. A `Rope` if and only if there are bytes and `base` is nil.
  @usableFromInline let owner: (any AnyObject)?
  /// The first byte, if the bytes are one piece.
  @usableFromInline let base: UnsafeRawPointer?
  /// Where these bytes start in the rope.
  @usableFromInline let start: Int
  /// The number of bytes.
  public let count: Int

  init(owner: (any AnyObject)?, base: UnsafeRawPointer?, start: Int, count: Int) {
    self.owner = owner
    self.base = base
    self.start = start
    self.count = count
  }

  /// Creates an empty value.
  public init() { self.init(owner: nil, base: nil, start: 0, count: 0) }

  /// The bytes from `position` to the end of the piece that holds it; empty at the end.
  @inlinable func run(at position: Int) -> UnsafeRawBufferPointer {
    guard position < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if let base { return UnsafeRawBufferPointer(start: base + position, count: count - position) }
    let run = unsafeDowncast(owner!, to: Rope.self).run(at: start + position)
    return UnsafeRawBufferPointer(rebasing: run.prefix(count - position))
  }

  /// Calls `body` with each piece in order, and its position.
  @inlinable func forEachRun<E: Error>(_ body: (Int, UnsafeRawBufferPointer) throws(E) -> Void) throws(E) {
    var position = 0
    while position < count {
      let run = run(at: position)
      try body(position, run)
      position += run.count
    }
    _fixLifetime(self)
  }
}

// MARK: making

extension Bytes {
  /// Shows `memory` without copying it.
  ///
  /// For sources and stores that already own memory, such as a mapped file. You promise that the memory neither changes
  /// nor is freed while `owner` lives.
  ///
  /// - Complexity: O(1), one small allocation.
  public init(unsafeNoCopy memory: UnsafeRawBufferPointer, owner: any AnyObject & Sendable) {
    guard let base = memory.baseAddress, !memory.isEmpty else {
      self.init()
      return
    }
    self.init(
      owner: ForeignBacking(owner: owner, byteCount: memory.count), base: base, start: 0, count: memory.count)
  }

  /// Joins `pieces`, one after the other, without copying them.
  ///
  /// - Complexity: O(number of pieces).
  public init(concatenating pieces: some Sequence<Bytes>) {
    var parts: [Bytes] = []
    for piece in pieces { piece.appendPieces(to: &parts) }
    switch parts.count {
    case 0: self.init()
    case 1: self = parts[0]
    default:
      let rope = Rope(pieces: parts)
      self.init(owner: rope, base: nil, start: 0, count: rope.ends.last!)
    }
  }

  /// Appends the contiguous pieces that these bytes consist of.
  private func appendPieces(to parts: inout [Bytes]) {
    guard count > 0 else { return }
    guard base == nil else {
      parts.append(self)
      return
    }
    let rope = unsafeDowncast(owner!, to: Rope.self)
    let end = start + count
    var position = start
    var index = rope.piece(at: start)
    while position < end {
      let piece = rope.pieces[index]
      let pieceStart = rope.ends[index] - piece.count
      let pieceEnd = Swift.min(end, rope.ends[index])
      parts.append(piece.slice(position - pieceStart..<pieceEnd - pieceStart))
      position = pieceEnd
      index += 1
    }
  }
}

extension Bytes: ExpressibleByArrayLiteral {
  /// Creates the bytes listed: `[0x50, 0x4B, 3, 4]`.
  public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

// MARK: slicing and keeping

extension Bytes {
  /// See ``subscript(_:)-(Range<Int>)``.
  @usableFromInline package func slice(_ positions: Range<Int>) -> Bytes {
    precondition(positions.lowerBound >= 0 && positions.upperBound <= count, "slice out of bounds")
    guard !positions.isEmpty else { return Bytes() }
    return Bytes(
      owner: owner, base: base.map { $0 + positions.lowerBound }, start: start + positions.lowerBound,
      count: positions.count)
  }

  /// `true` if the bytes are one piece of memory. Then ``withUnsafeBytes(_:)`` copies nothing.
  package var isContiguous: Bool { count == 0 || base != nil || run(at: 0).count == count }

  /// The same bytes as one piece: this value if it already is one, else a copy.
  ///
  /// - Complexity: O(1) for one piece, O(log pieces) for a slice within one of several pieces; else O(n) and one
  ///   allocation.
  public func contiguous() -> Bytes {
    guard base == nil, count > 0 else { return self }
    guard isContiguous else { return copy() }
    // Drops the rest of the rope.
    return Bytes(concatenating: CollectionOfOne(self))
  }

  /// The same bytes in their own memory, unless they already use at least four fifths of their backing.
  ///
  /// Call it on small pieces that outlive their read, so that 16 bytes do not keep a megabyte alive.
  ///
  /// - Complexity: O(n) and one allocation when it copies, else O(1).
  public func compacted() -> Bytes {
    count * 5 >= backingByteCount * 4 ? self : copy()
  }

  private func copy() -> Bytes {
    Bytes(count: count) { copyBytes(to: $0) }
  }

  /// The number of bytes that this value keeps alive in memory: its whole backing, shared or not.
  public var backingByteCount: Int { (owner as? any ByteBacking)?.backingByteCount ?? 0 }
}

// MARK: reading the memory

extension Bytes {
  /// Calls `body` with each contiguous piece, in order.
  ///
  /// Use it to hash, search or write bytes of several pieces without a copy. The span is valid only within `body`.
  ///
  /// - Complexity: O(pieces × log pieces); no allocation.
  public func forEachSpan<E: Error>(_ body: (RawSpan) throws(E) -> Void) throws(E) {
    try forEachRun { (_, run) throws(E) in try body(run.bytes) }
  }

  /// Calls `body` with all the bytes as one span. **Several pieces are copied first**: to avoid that, use
  /// ``forEachSpan(_:)``.
  ///
  /// - Complexity: O(1) for one piece; O(n) and one allocation for several.
  public func withSpan<Result, E: Error>(_ body: (RawSpan) throws(E) -> Result) throws(E) -> Result {
    try withUnsafeBytes { (buffer) throws(E) in try body(buffer.bytes) }
  }

  /// Calls `body` with the memory of all the bytes. **Several pieces are copied first.** The pointer is valid only
  /// within `body`.
  ///
  /// - Complexity: O(1) for one piece; O(n) and one allocation for several.
  public func withUnsafeBytes<Result, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Result
  ) throws(E) -> Result {
    let whole = contiguous()
    defer { _fixLifetime(whole) }
    return try body(UnsafeRawBufferPointer(start: whole.base, count: whole.count))
  }

  /// Copies all the bytes to the start of `destination`.
  ///
  /// - Precondition: `destination` holds at least `count` bytes.
  public func copyBytes(to destination: UnsafeMutableRawBufferPointer) {
    precondition(destination.count >= count, "the destination is smaller than the bytes")
    forEachRun { position, run in
      (destination.baseAddress! + position).copyMemory(from: run.baseAddress!, byteCount: run.count)
    }
  }
}

extension Bytes {
  /// Shows several pieces of memory, one after the other, without copying them. Like `init(unsafeNoCopy:owner:)` for
  /// several pieces, with the same promise.
  ///
  /// The pieces share one backing, so that each reports how much memory it really keeps alive.
  ///
  /// - Complexity: O(number of pieces).
  package init(unsafeNoCopy pieces: [UnsafeRawBufferPointer], owner: any AnyObject & Sendable) {
    let backing = ForeignBacking(owner: owner, byteCount: pieces.reduce(0) { $0 + $1.count })
    self.init(
      concatenating: pieces.map { piece in
        guard let base = piece.baseAddress, !piece.isEmpty else { return Bytes() }
        return Bytes(owner: backing, base: base, start: 0, count: piece.count)
      })
  }
}
