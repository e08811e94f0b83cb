import RangeIO

/// The format RRT1, which `Docs/Formats/ReadTrace.md` describes.
extension RangeTrace {
  static let rrtMagic = Array("RRT1".utf8)
  private static let headerSize = 24

  init(rrt buffer: UnsafeRawBufferPointer, _ maxRequests: Int) throws(TraceError) {
    guard buffer.starts(with: Self.rrtMagic) else { throw TraceError("the trace does not begin with 'RRT1'") }
    guard buffer.count >= Self.headerSize else { throw TraceError("the trace ends within its header") }
    let shift = Int(buffer[4])
    guard shift < 63 else { throw TraceError("a unit of 2^\(shift) bytes is too large") }
    guard buffer[5] == 0, buffer[6] == 0, buffer[7] == 0 else {
      throw TraceError("the header has bytes set that must be zero")
    }
    let stated = (0..<2).map { UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8 + $0 * 8, as: UInt64.self)) }
    // A recorder writes the totals at the end. Without them the trace goes on to the end of the file. Each number ends
    // with a byte below 0x80, and a request has two; one that is cut off does not count.
    let isOpen = stated == [0, 0]
    let wholeRequests = isOpen ? buffer[Self.headerSize...].count { $0 < 0x80 } / 2 : 0
    // A request takes at least two bytes: a larger count must not make this reserve memory.
    guard let count = isOpen ? wholeRequests : Int(exactly: stated[0]),
      count <= (buffer.count - Self.headerSize) / 2
    else {
      throw TraceError("the trace is cut short: it has \(buffer.count) bytes for \(stated[0]) requests")
    }
    guard count <= maxRequests else { throw .tooMany(most: maxRequests) }
    guard let byteCount = isOpen ? .max : Int(exactly: stated[1]) else {
      throw TraceError("the address space exceeds 2^63 bytes")
    }

    var numbers = ULEB128(buffer: buffer, position: Self.headerSize)
    var requests: [ByteRange] = []
    requests.reserveCapacity(count)
    var end = 0
    for number in 0..<count {
      let zigzag = try numbers.next(number)
      let distance = Int(bitPattern: UInt(zigzag >> 1)) ^ -Int(zigzag & 1)
      let length = try numbers.next(number)
      let (start, overflow) = end.addingReportingOverflow(distance)
      guard start >= 0, !overflow else { throw TraceError("request \(number) has a negative offset") }
      let units = Int(exactly: length).flatMap { ByteRanges.range(offset: start, count: $0) }
      guard let units, units.upperBound <= byteCount >> shift else {
        throw TraceError("request \(number) goes beyond the address space of \(byteCount) bytes")
      }
      requests.append(units.lowerBound << shift..<units.upperBound << shift)
      end = units.upperBound
    }
    guard isOpen || numbers.position == buffer.count else {
      throw TraceError("the trace has \(buffer.count - numbers.position) bytes after its last request")
    }
    self.init(
      requests: requests, byteCount: isOpen ? requests.reduce(0) { max($0, $1.upperBound) } : byteCount)
  }
}

/// Reads numbers stored with seven bits per byte, the lowest bits first, up to a byte whose high bit is clear (DWARF 4,
/// section 7.6).
private struct ULEB128 {
  let buffer: UnsafeRawBufferPointer
  var position: Int

  /// - Parameter request: the number of the request, for errors.
  mutating func next(_ request: Int) throws(TraceError) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while position < buffer.count {
      let byte = buffer[position]
      position += 1
      let bits = UInt64(byte & 0x7F)
      guard shift < 63 || shift == 63 && bits <= 1 else {
        throw TraceError("request \(request) has a number of more than 64 bits")
      }
      number |= bits << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw TraceError("the trace ends within request \(request)")
  }
}
