#if Tool
import RangeIO

/// A part of what a command writes of a source.
enum SourcePart {
  /// - Parameter offset: of the bytes in the source.
  case bytes(Bytes, at: Int)
  /// Zeros: a hole of the source.
  case zeros(ByteRange)

  var count: Int {
    switch self {
    case .bytes(let bytes, _): bytes.count
    case .zeros(let range): range.count
    }
  }
}

/// Standard output for the bytes of a source: as they are, or as a hex dump if the user wants one, or if this is a terminal and
/// they are not text. Used by one task.
final class SourceOutput {
  private let output = StandardOutput()
  private let watchesTerminal: Bool
  private var wantsHex: Bool
  private var dump: HexDump?
  private var endsLine = true

  /// - Parameters:
  ///   - force: a terminal gets the bytes as they are.
  ///   - hex: all bytes are shown in hex.
  init(force: Bool, hex: Bool) {
    watchesTerminal = !force && StandardOutput.isTerminal
    wantsHex = hex
  }

  func write(_ part: SourcePart) throws {
    if !wantsHex, watchesTerminal, !part.isText {
      wantsHex = true
      if !endsLine { try output.line("") }
      StandardError.note("rangeio: this is not text, so it is shown in hex (--force: as it is)")
    }
    guard wantsHex else {
      switch part {
      case .bytes(let bytes, _):
        try output.write(bytes)
        endsLine = bytes.last == UInt8(ascii: "\n")
      case .zeros(let range): try output.writeZeros(range.count)
      }
      return
    }
    if let position = dump?.position, position != part.offset { try end() }
    var text = dump ?? HexDump(at: part.offset)
    switch part {
    case .bytes(let bytes, _): try output.write(Bytes(text.add(bytes)))
    case .zeros(let range): try output.write(Bytes(text.addZeros(range.count)))
    }
    dump = text
  }

  /// Writes what is left of the dump.
  func end() throws {
    if var text = dump { try output.write(Bytes(text.end())) }
    dump = nil
  }
}

extension SourcePart {
  fileprivate var offset: Int {
    switch self {
    case .bytes(_, let offset): offset
    case .zeros(let range): range.lowerBound
    }
  }

  /// `true` if it can do no harm to a terminal.
  fileprivate var isText: Bool {
    switch self {
    case .bytes(let bytes, _): TerminalText.isHarmless(bytes)
    case .zeros(let range): range.isEmpty
    }
  }
}
#endif
