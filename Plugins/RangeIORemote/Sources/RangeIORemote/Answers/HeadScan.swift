/// Finds where the head of an answer in HTTP/1.1 ends, and whether there is something to mend in it. A value; takes bytes
/// as they come, each once.
struct HeadScan: Hashable {
  enum Step: Hashable {
    case more
    /// This was the last byte.
    case end
    /// No head, or one with line ends of two kinds, as a head has that something was slipped into: the parser refuses it.
    case refused
  }

  private static let beginning = Array("HTTP/1.".utf8)

  /// The bytes so far.
  private(set) var count = 0
  /// The place in the line.
  private var column = 0
  private var first: UInt8 = 0
  private var last: UInt8 = 0
  /// The column of the line's colon; `nil` before it, and in the status line.
  private var colon: Int?
  private var isStatusLine = true
  /// Lines end in CR LF; `nil` before the first has ended.
  private var hasReturns: Bool?
  private var isFolded = false
  private var hasSpaceBeforeColon = false
  private var hasOtherThanASCII = false
  /// The fields that say where the body ends, and the lengths that are lists.
  private var framings = 0

  /// ``MendedHead`` should look at the head.
  var isOdd: Bool { hasReturns == false || isFolded || hasSpaceBeforeColon || hasOtherThanASCII || framings > 1 }

  /// Takes the next byte.
  mutating func take(_ byte: UInt8) -> Step {
    defer { (last, count) = (byte, count + 1) }
    if count < 7, byte != Self.beginning[count] { return .refused }
    if byte == UInt8(ascii: "\n") { return endLine() }
    // One that is alone.
    if last == UInt8(ascii: "\r") { return .refused }
    if byte == UInt8(ascii: "\r") { return hasReturns == false ? .refused : .more }
    if column == 0 { begin(byte) }
    if byte >= 128 { hasOtherThanASCII = true }
    if byte == UInt8(ascii: ":"), colon == nil, !isStatusLine {
      colon = column
      if last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { hasSpaceBeforeColon = true }
      if isLength || isCoding { framings += 1 }
    } else if byte == UInt8(ascii: ","), colon != nil, isLength {
      framings += 1
    }
    column += 1
    return .more
  }

  private mutating func endLine() -> Step {
    let hasReturn = last == UInt8(ascii: "\r")
    guard hasReturns ?? hasReturn == hasReturn else { return .refused }
    hasReturns = hasReturn
    if column == 0 { return .end }
    (column, colon, isStatusLine) = (0, nil, false)
    return .more
  }

  private mutating func begin(_ byte: UInt8) {
    first = HTTPText.lower(byte)
    if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { isFolded = true }
  }

  /// The name may be `Content-Length`.
  private var isLength: Bool { first == UInt8(ascii: "c") && colon == 14 }
  /// The name may be `Transfer-Encoding`.
  private var isCoding: Bool { first == UInt8(ascii: "t") && colon == 17 }
}
