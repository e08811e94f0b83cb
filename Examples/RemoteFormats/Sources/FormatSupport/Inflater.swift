import CZlib
import RangeIO

/// Decompresses deflate data that comes in pieces, in constant memory.
package final class Inflater {
  /// What stands around the deflate data.
  package enum Wrapping: Sendable {
    /// Nothing (RFC 1951): entries of ZIP files.
    case none
    /// Headers and check sums of gzip (RFC 1952), once or several times.
    case gzip

    fileprivate var windowBits: CInt { self == .none ? -MAX_WBITS : MAX_WBITS + 16 }
  }

  /// Allocated, because zlib notes the address of the stream and refuses a stream that has moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private let scratch: UnsafeMutableRawBufferPointer
  private let wrapping: Wrapping
  private let limit: Int
  /// How many bytes came out.
  package private(set) var byteCount = 0
  /// Whether the compressed data has ended by its own account.
  package private(set) var isFinished = false

  /// - Parameter limit: the most bytes that may come out.
  package init(_ wrapping: Wrapping, limit: Int) throws {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = inflateInit2_(stream, wrapping.windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      stream.deallocate()
      throw FormatError.unsupported("zlib does not start (\(status)): is it the version that this was built with?")
    }
    self.stream = stream
    self.wrapping = wrapping
    self.limit = limit
    scratch = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    scratch.deallocate()
  }

  /// Decompresses the next piece, and passes on what comes out, in parts of at most 64 KiB.
  package func take(_ piece: Bytes, into sink: (Bytes) throws -> Void) throws {
    try piece.forEachSpan { span in
      // The pointer is used within the call only.
      try span.withUnsafeBytes { memory in
        var taken = 0
        while taken < memory.count {
          try startOver()
          // zlib counts in 32 bits.
          let part = UnsafeRawBufferPointer(rebasing: memory[taken...].prefix(1 << 30))
          taken += try take(part, into: sink)
        }
      }
    }
  }

  /// A gzip file may be followed by another one, whose contents go on where those of the first end.
  private func startOver() throws {
    guard isFinished else { return }
    guard wrapping == .gzip, inflateReset(stream) == Z_OK else {
      throw FormatError.damaged("bytes follow the end of the compressed data")
    }
    isFinished = false
  }

  /// - Returns: how many bytes of `input` were used: all, or those up to the end of the compressed data.
  private func take(_ input: UnsafeRawBufferPointer, into sink: (Bytes) throws -> Void) throws -> Int {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = uInt(input.count)
    repeat {
      stream.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: Bytef.self)
      stream.pointee.avail_out = uInt(scratch.count)
      let status = inflate(stream, Z_NO_FLUSH)
      // Z_BUF_ERROR: all input was used up exactly when the output was full.
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw FormatError.damaged("the compressed data is damaged (zlib says \(status))")
      }
      isFinished = status == Z_STREAM_END
      try pass(scratch.count - Int(stream.pointee.avail_out), to: sink)
    } while !isFinished && stream.pointee.avail_out == 0
    guard isFinished || stream.pointee.avail_in == 0 else {
      throw FormatError.damaged("the compressed data is damaged: zlib does not go on")
    }
    return input.count - Int(stream.pointee.avail_in)
  }

  private func pass(_ count: Int, to sink: (Bytes) throws -> Void) throws {
    guard count > 0 else { return }
    guard count <= limit - byteCount else {
      throw FormatError.tooLarge("more than \(limit) bytes come out of compressed data")
    }
    byteCount += count
    try sink(Bytes(copying: UnsafeRawBufferPointer(rebasing: scratch.prefix(count)).bytes))
  }
}

extension Bytes {
  /// These bytes decompressed, as one piece of memory.
  ///
  /// - Parameter limit: the most bytes that may come out. No memory is taken before there are bytes to fill it.
  package func inflated(_ wrapping: Inflater.Wrapping, limit: Int) throws -> Bytes {
    let inflater = try Inflater(wrapping, limit: limit)
    var pieces: [Bytes] = []
    try inflater.take(self) { pieces.append($0) }
    guard inflater.isFinished else { throw FormatError.damaged("the compressed data is cut off") }
    return Bytes(concatenating: pieces).contiguous()
  }
}
