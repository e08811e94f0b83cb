import CRangeIOSystem
import SystemPackage

/// Where a read puts its bytes: one buffer, or several that one system call fills one after the other, see readv(2).
enum ReadBuffers: Sendable {
  case one(WritableBytes)
  case several([WritableBytes])

  package var all: [WritableBytes] {
    switch self {
    case .one(let buffer): [buffer]
    case .several(let buffers): buffers
    }
  }

  package var byteCount: Int { all.reduce(0) { $0 + $1.capacity } }

  /// The memory left to fill after the first `filled` bytes, up to byte `end`, limited to one call.
  private func rest(after filled: Int, upTo end: Int) -> [iovec] {
    var skip = filled
    var wanted = min(end - filled, Syscalls.maxReadBytes)
    var vectors: [iovec] = []
    for buffer in all {
      let cut = min(skip, buffer.capacity)
      skip -= cut
      let count = min(buffer.capacity - cut, wanted)
      if count > 0 { vectors.append(iovec(iov_base: buffer.base + cut, iov_len: count)) }
      wanted -= count
      if wanted == 0 { break }
    }
    return vectors
  }

  /// Fills the buffers up to byte `end` from `offset` of the file, after the first `filled` bytes. Waits for the disk if
  /// it must. Returns the total number of bytes filled. Fewer than `end` only at the end of the file.
  ///
  /// - Parameter multiple: a call that leaves another number than a multiple of it has met the end of the file.
  package func fill(
    after filled: Int, upTo end: Int, from offset: Int, of descriptor: CInt, _ syscalls: Syscalls,
    inMultiplesOf multiple: Int = 1
  ) throws(Errno) -> Int {
    if case .one(let buffer) = self {
      let part = UnsafeMutableRawBufferPointer(start: buffer.base + filled, count: end - filled)
      return try filled + syscalls.readFully(descriptor, part, at: offset + filled, inMultiplesOf: multiple)
    }
    return try repeatFully(from: filled, to: end, inMultiplesOf: multiple) { filled in
      rest(after: filled, upTo: end).withUnsafeBufferPointer {
        syscalls.call.readScattered(descriptor, $0, offset + filled, false)
      }
    }
  }

  /// Fills the buffers up to byte `end` as far as the page cache has it. Returns the total number of bytes filled;
  /// `nil` if this file system cannot tell what is resident.
  func fillWithResident(
    after before: Int, upTo end: Int, from offset: Int, of descriptor: CInt, _ syscalls: Syscalls
  ) throws(Errno) -> Int? {
    if case .one(let buffer) = self {
      let part = UnsafeMutableRawBufferPointer(start: buffer.base + before, count: end - before)
      return try syscalls.readWhatIsResident(descriptor, part, at: offset + before).map { before + $0 }
    }
    return try repeatWhileResident(from: before, to: end) { filled in
      rest(after: filled, upTo: end).withUnsafeBufferPointer {
        syscalls.call.readScattered(descriptor, $0, offset + filled, true)
      }
    }
  }
}

extension Syscalls {
  /// The most bytes requested by one call. Apple platforms refuse `INT_MAX` and more; Linux returns at most that much.
  static let maxReadBytes = 1 << 30

  /// Fills `buffer` from `offset` until it is full or the file ends. Waits for the disk if it must. Returns the number
  /// of bytes read. Fewer than requested only at the end of the file.
  ///
  /// - Parameter multiple: a call that leaves another number than a multiple of it has met the end of the file.
  func readFully(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int, inMultiplesOf multiple: Int = 1
  ) throws(Errno) -> Int {
    try repeatFully(from: 0, to: buffer.count, inMultiplesOf: multiple) { filled in
      call.read(descriptor, .init(rebasing: buffer[filled...].prefix(Self.maxReadBytes)), offset + filled)
    }
  }

  /// Fills as much of `buffer` from `offset` as the page cache holds. Returns the number of bytes read, from the start;
  /// `nil` if this file system cannot tell what is resident.
  func readWhatIsResident(
    _ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int? {
    try repeatWhileResident(from: 0, to: buffer.count) { filled in
      let isWhole = filled == 0 && buffer.count <= Self.maxReadBytes
      let rest = isWhole ? buffer : .init(rebasing: buffer[filled...].prefix(Self.maxReadBytes))
      return call.readResident(descriptor, rest, offset + filled)
    }
  }
}

/// Repeats `read` from byte `start` on until `end`, or the end of the file.
///
/// - Parameter read: reads what follows the first `filled` bytes; its result is that of a call of ``Syscalls``.
/// - Returns: the number of bytes filled, with those before `start`.
@inline(__always) private func repeatFully(
  from start: Int, to end: Int, inMultiplesOf multiple: Int, _ read: (_ filled: Int) -> Int
) throws(Errno) -> Int {
  var filled = start
  while filled < end {
    let result = read(filled)
    if result == 0 { break }
    if result > 0 {
      filled += result
      if multiple > 1, filled % multiple != 0 { break }
    } else if Errno(result: result) != .interrupted {
      throw Errno(result: result)
    }
  }
  return filled
}

/// The same for calls that read only what is resident: ends also at the first byte that is not. Returns as above; `nil`
/// if this file system cannot tell what is resident.
@inline(__always) private func repeatWhileResident(
  from start: Int, to end: Int, _ read: (_ filled: Int) -> Int
) throws(Errno) -> Int? {
  var filled = start
  while filled < end {
    let result = read(filled)
    if result > 0 {
      filled += result
      continue
    }
    if result == 0 { break }  // the end of the file: the version check says whether it should be
    switch Errno(result: result) {
    case .interrupted: continue
    case .resourceTemporarilyUnavailable: return filled
    case .notSupportedOnSocket, .notSupported, .noFunction, .invalidArgument, .notPermitted:
      // This file system cannot tell, or a sandbox forbids the call: some forbid all calls newer than themselves.
      return filled == start ? nil : filled
    case let errno: throw errno
    }
  }
  return filled
}
