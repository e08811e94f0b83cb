import RangeIO

extension RangeTrace {
  static let csvHeader = Array("offset,length".utf8)

  init(csv buffer: UnsafeRawBufferPointer, _ maxRequests: Int) throws(TraceError) {
    var lines = Lines(buffer: buffer)
    guard let header = lines.next(), header.elementsEqual(Self.csvHeader) else {
      throw TraceError("line 1: the header 'offset,length' is missing")
    }
    var requests: [ByteRange] = []
    // Assumes offsets and lengths of four digits each.
    requests.reserveCapacity(min(buffer.count / 10, maxRequests))
    var byteCount = 0
    while let line = lines.next() {
      // An empty line is allowed only at the end: in the middle, it may be a lost request.
      if line.isEmpty, lines.isAtEnd { break }
      guard requests.count < maxRequests else { throw .tooMany(most: maxRequests) }
      guard let comma = line.firstIndex(of: UInt8(ascii: ",")) else {
        throw TraceError("line \(lines.number): write 'offset,length'")
      }
      let offset = try Self.number(line[..<comma], "offset", lines.number)
      let length = try Self.number(line[(comma + 1)...], "length", lines.number)
      guard let range = ByteRanges.range(offset: offset, count: length) else {
        throw TraceError("line \(lines.number): offset and length together exceed \(Int.max)")
      }
      requests.append(range)
      byteCount = max(byteCount, range.upperBound)
    }
    self.init(requests: requests, byteCount: byteCount)
  }

  private static func number(
    _ digits: Slice<UnsafeRawBufferPointer>, _ name: String, _ line: Int
  ) throws(TraceError) -> Int {
    var number = 0
    for digit in digits {
      guard digit >= 0x30, digit <= 0x39 else {
        let isNegative = digits.first == UInt8(ascii: "-")
        throw TraceError("line \(line): the \(name) is \(isNegative ? "negative" : "not a number of bytes")")
      }
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(digit - 0x30))
      guard !overflow, !carry else { throw TraceError("line \(line): the \(name) exceeds \(Int.max)") }
      number = sum
    }
    guard !digits.isEmpty else { throw TraceError("line \(line): the \(name) is missing") }
    return number
  }
}

/// The lines of a text. A line ends with a line feed, with or without a carriage return before it.
private struct Lines {
  let buffer: UnsafeRawBufferPointer
  private var position = 0
  private(set) var number = 0

  init(buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var isAtEnd: Bool { position >= buffer.count }

  mutating func next() -> Slice<UnsafeRawBufferPointer>? {
    guard !isAtEnd else { return nil }
    let line = buffer[position...].prefix { $0 != 0x0A }
    position = line.endIndex + 1
    number += 1
    return line.last == 0x0D ? line.dropLast() : line
  }
}
