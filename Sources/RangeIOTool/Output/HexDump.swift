#if Tool
import RangeIO

/// The lines of a hex dump, as `hexdump -C` prints them: lines that are like the one before are a single `*`. A value.
struct HexDump {
  private static let width = 16
  private static let digits = Array("0123456789abcdef".utf8)

  /// The offset of the next byte.
  private(set) var position: Int
  /// The bytes of the line that is not full yet.
  private var line: [UInt8] = []
  private var previous: [UInt8] = []
  private var isRepeating = false

  /// - Parameter offset: of the first byte in its source.
  init(at offset: Int) { position = offset }

  /// The text that `bytes` complete.
  mutating func add(_ bytes: Bytes) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 5 + 80)
    for byte in bytes { add(byte, to: &text) }
    return text
  }

  /// The text that so many zeros complete.
  mutating func addZeros(_ count: Int) -> [UInt8] {
    var (text, left): ([UInt8], Int) = ([], count)
    while left > 0 {
      if isRepeating, line.isEmpty, left >= Self.width, previous.allSatisfy({ $0 == 0 }) {
        let whole = left / Self.width * Self.width
        (position, left) = (position + whole, left - whole)
      } else {
        add(0, to: &text)
        left -= 1
      }
    }
    return text
  }

  /// The rest, and the offset of the end.
  mutating func end() -> [UInt8] {
    var text: [UInt8] = []
    if !line.isEmpty { write(at: position - line.count, to: &text) }
    Self.write(position, to: &text)
    text.append(UInt8(ascii: "\n"))
    (line, previous, isRepeating) = ([], [], false)
    return text
  }

  private mutating func add(_ byte: UInt8, to text: inout [UInt8]) {
    line.append(byte)
    position += 1
    guard line.count == Self.width else { return }
    if line != previous {
      write(at: position - Self.width, to: &text)
      (previous, isRepeating) = (line, false)
    } else if !isRepeating {
      text += "*\n".utf8
      isRepeating = true
    }
    line.removeAll(keepingCapacity: true)
  }

  private func write(at offset: Int, to text: inout [UInt8]) {
    Self.write(offset, to: &text)
    for column in 0..<Self.width {
      text += (column % 8 == 0 ? "  " : " ").utf8
      guard column < line.count else {
        text += "  ".utf8
        continue
      }
      text.append(Self.digits[Int(line[column] >> 4)])
      text.append(Self.digits[Int(line[column] & 15)])
    }
    text += "  |".utf8
    for byte in line { text.append((0x20...0x7E).contains(byte) ? byte : UInt8(ascii: ".")) }
    text += "|\n".utf8
  }

  /// Eight digits, or as many as it takes.
  private static func write(_ offset: Int, to text: inout [UInt8]) {
    let number = String(offset, radix: 16)
    text += String(repeating: "0", count: max(0, 8 - number.count)).utf8
    text += number.utf8
  }
}
#endif
