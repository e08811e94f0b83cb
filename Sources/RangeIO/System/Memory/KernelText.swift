/// A small text from the kernel, parsed as bytes: names in it need not be UTF-8.
///
/// Nothing here fails: text that cannot be parsed gives `nil`.
struct KernelText: Equatable, Sendable {
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
  init(_ text: String) { bytes = ArraySlice(text.utf8) }

  static func == (text: KernelText, string: StaticString) -> Bool {
    string.withUTF8Buffer { text.bytes.elementsEqual($0) }
  }

  /// The parts between `separator`s; empty ones are left out.
  func parts(_ separator: Unicode.Scalar) -> [KernelText] {
    bytes.split(separator: UInt8(ascii: separator)).map(KernelText.init)
  }

  var lines: [KernelText] { parts("\n") }
  var words: [KernelText] { parts(" ") }

  /// The rest after `prefix`, if the text begins with it.
  func after(_ prefix: StaticString) -> KernelText? {
    prefix.withUTF8Buffer { bytes.starts(with: $0) ? KernelText(bytes.dropFirst($0.count)) : nil }
  }

  /// A whole number: `4096`. A number too large for an `Int` becomes `Int.max`.
  var number: Int? {
    guard !bytes.isEmpty else { return nil }
    var number = 0
    for byte in bytes {
      guard let digit = Self.digit(byte) else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = tens.addingReportingOverflow(digit)
      number = isTooLarge || overflow ? .max : sum
    }
    return number
  }

  /// A percentage as a fraction, at most 1: `12.34` is 0.1234.
  var percentage: Double? {
    let halves = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = KernelText(halves[0]).number else { return nil }
    guard halves.count == 2 else { return min(1, Double(whole) / 100) }
    guard let fraction = KernelText(halves[1].prefix(15)).number else { return nil }
    var scale = 100.0
    for _ in halves[1].prefix(15) { scale *= 10 }
    return min(1, Double(whole) / 100 + Double(fraction) / scale)
  }

  /// The number in the line that begins with `key` and a space.
  func number(of key: StaticString) -> Int? {
    for line in lines {
      guard let rest = line.after(key), rest.bytes.first == UInt8(ascii: " ") else { continue }
      return KernelText(rest.bytes.dropFirst()).number
    }
    return nil
  }

  /// The text with octal codes replaced by their bytes, as in `\040` for a space.
  var unescaped: KernelText {
    var plain: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3).compactMap(Self.digit)
      if byte == UInt8(ascii: "\\"), digits.count == 3, digits[0] < 4, digits[1] < 8, digits[2] < 8 {
        plain.append(UInt8(digits[0] << 6 | digits[1] << 3 | digits[2]))
        rest = rest.dropFirst(3)
      } else {
        plain.append(byte)
      }
    }
    return KernelText(plain[...])
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let value = Int(byte) - Int(UInt8(ascii: "0"))
    return 0...9 ~= value ? value : nil
  }
}
