#if Tool
import RangeIO
import RangeIORemote

/// The bytes of a source that the user selected with `--range`, `--offset` and `--length`, or `--suffix`.
///
/// Bounds are plain numbers until they are known to form a valid range: `5..<3` would trap before the tool could report
/// it.
enum Selection: Equatable {
  case whole
  case from(Int)
  case span(offset: Int, count: Int)
  case suffix(Int)

  /// Creates the selection that the options describe. Options that were not given are `nil`.
  init(range: String?, offset: String?, length: String?, suffix: String?) throws(ToolFailure) {
    let ways = [range != nil, offset != nil || length != nil, suffix != nil].count { $0 }
    guard ways <= 1 else {
      throw .usage("choose one: --range, --offset with --length, or --suffix")
    }
    if let range {
      self = try Self.parse(range: range)
    } else if let suffix {
      self = .suffix(try Self.parse(suffix, "--suffix"))
    } else if let offset, let length {
      self = try Self.checked(offset: Self.parse(offset, "--offset"), count: Self.parse(length, "--length"))
    } else if offset != nil || length != nil {
      throw .usage("--offset and --length go together (or use --range A...)")
    } else {
      self = .whole
    }
  }

  /// The selections that the options describe, in the order in which they are read: one for each of `ranges`, or one.
  static func all(
    ranges: [String], offset: String?, length: String?, suffix: String?
  ) throws(ToolFailure) -> [Selection] {
    var selections: [Selection] = []
    // Commas as in curl: numbers have none.
    let ranges = ranges.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    for range in ranges.isEmpty ? [nil] : ranges.map(Optional.some) {
      selections.append(try Selection(range: range, offset: offset, length: length, suffix: suffix))
    }
    return selections
  }

  /// Parses a range as Swift writes it, `A..<B`, `A...B`, `A...`, `..<B` or `...B`, or as HTTP and curl do, `A-B`, `A-`
  /// or `-COUNT` for the last bytes. Each bound is a number of bytes such as `4096` or `64KiB`. The second bound is the
  /// last byte, except after `..<`.
  static func parse(range text: String) throws(ToolFailure) -> Selection {
    if let (lower, upper) = split(text, at: "..<") {
      guard !upper.isEmpty else { throw .notARange(text) }
      return try span(lower, upper, isClosed: false, text)
    }
    if let (lower, upper) = split(text, at: "...") {
      guard !lower.isEmpty || !upper.isEmpty else { throw .notARange(text) }
      return upper.isEmpty ? .from(try parse(lower, "--range")) : try span(lower, upper, isClosed: true, text)
    }
    guard let (lower, upper) = split(text, at: "-"), !lower.isEmpty || !upper.isEmpty else { throw .notARange(text) }
    if lower.isEmpty { return .suffix(try parse(upper, "--range")) }
    return upper.isEmpty ? .from(try parse(lower, "--range")) : try span(lower, upper, isClosed: true, text)
  }

  /// The bytes between two bounds, with or without the byte at the upper bound.
  private static func span(
    _ lower: Substring, _ upper: Substring, isClosed: Bool, _ text: String
  ) throws(ToolFailure) -> Selection {
    let start = lower.isEmpty ? 0 : try parse(lower, "--range")
    let last = try parse(upper, "--range")
    guard start <= last else { throw .usage("the range \(text) ends before it begins: write the smaller bound first") }
    guard !isClosed || last < Int.max else {
      throw .usage("the range \(text) goes past the largest number there is (\(Int.max))")
    }
    return .span(offset: start, count: last - start + (isClosed ? 1 : 0))
  }

  private static func checked(offset: Int, count: Int) throws(ToolFailure) -> Selection {
    guard ByteRanges.range(offset: offset, count: count) != nil else {
      throw .usage("--offset and --length together go past the largest number there is (\(Int.max))")
    }
    return .span(offset: offset, count: count)
  }

  private static func parse(_ text: some StringProtocol, _ option: String) throws(ToolFailure) -> Int {
    guard !text.hasPrefix("-") else {
      throw .usage(
        "\(option): '\(text)' is negative: offsets count from the beginning; for the last bytes write --suffix COUNT or --range -COUNT"
      )
    }
    guard let count = ByteCount(String(text)) else {
      throw .usage("\(option): '\(text)' is not a number of bytes: write 4096, 64KiB or 1.5GiB")
    }
    return count.bytes
  }

  private static func split(_ text: String, at separator: String) -> (Substring, Substring)? {
    guard let range = text.firstRange(of: separator) else { return nil }
    return (text[..<range.lowerBound], text[range.upperBound...])
  }
}

extension Selection {
  /// The bytes that opening an object behind a URL is to bring along: those asked for, or the first of them while nothing is
  /// known of the link.
  var opening: RemoteOpening {
    switch self {
    case .whole: .beginning
    case .from(let offset): .range(offset..<offset + min(65_536, Int.max - offset))
    case .span(let offset, let count): .range(offset..<offset + count)
    // A longer one does not begin with what would come.
    case .suffix(let count): count <= 1 << 20 ? .suffix(count) : .beginning
    }
  }

  /// The selected bytes of `reader`, piece by piece. If they do not exist, the stream throws when it begins.
  func stream(of reader: RangeReader, chunkSize: ByteCount = .mebibytes(1)) -> ByteStream {
    switch self {
    case .whole: reader.stream(chunkSize: chunkSize)
    case .from(let offset): reader.stream(offset..., chunkSize: chunkSize)
    case .span, .suffix: reader.stream(range(in: reader.byteCount), chunkSize: chunkSize)
    }
  }

  /// The selected range in a source of `byteCount` bytes. It may be past the end of the source.
  func range(in byteCount: Int) -> ByteRange {
    switch self {
    case .whole: 0..<byteCount
    case .from(let offset): min(offset, byteCount)..<byteCount
    case .span(let offset, let count): offset..<offset + count
    case .suffix(let count): byteCount - min(count, byteCount)..<byteCount
    }
  }
}

extension ToolFailure {
  static func usage(_ message: String) -> ToolFailure {
    ToolFailure(message, status: .usage)
  }

  fileprivate static func notARange(_ text: String) -> ToolFailure {
    usage("--range: '\(text)' is not a range: write A...B, A..<B, A..., ..<B, or A-B, A- and -N as curl does")
  }
}
#endif
