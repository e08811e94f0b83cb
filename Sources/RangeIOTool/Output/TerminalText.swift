import RangeIO

/// Tells text from what would upset a terminal.
enum TerminalText {
  /// Whether `bytes` hold no control characters but tabs, line ends and form feeds.
  ///
  /// Escape, NUL and DEL are harmful, and so are U+0080 to U+009F, with which UTF-8 terminals spell escape sequences.
  /// A pair of those that is cut by the end of `bytes` goes unseen.
  static func isHarmless(_ bytes: Bytes) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case 0x09, 0x0A, 0x0C, 0x0D: break
      case 0..<0x20, 0x7F: return false
      case 0x80...0x9F where previous == 0xC2: return false
      default: break
      }
      previous = byte
    }
    return true
  }
}
