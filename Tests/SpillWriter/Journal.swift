import SystemPackage

/// What a process says about its directory, a line at a time, each when it is true.
enum Journal {
  enum Line {
    /// These blocks are on the disk.
    case written(Range<Int>)
    /// These are about to be removed.
    case removing(Range<Int>)
    /// These are removed.
    case removed(Range<Int>)
    /// From now on the directory may let go of anything.
    case full
    /// Everything is about to be removed.
    case clearing
    /// Everything is removed.
    case cleared
    /// The process ends well.
    case end

    init?(_ text: Substring) {
      let words = text.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      let blocks = numbers.count == 2 ? numbers[0]..<numbers[1] : 0..<0
      switch words.first {
      case "written": self = .written(blocks)
      case "removing": self = .removing(blocks)
      case "removed": self = .removed(blocks)
      case "full": self = .full
      case "clearing": self = .clearing
      case "cleared": self = .cleared
      case "end": self = .end
      default: return nil
      }
    }

    var text: String {
      switch self {
      case .written(let blocks): "written \(blocks.lowerBound) \(blocks.upperBound)"
      case .removing(let blocks): "removing \(blocks.lowerBound) \(blocks.upperBound)"
      case .removed(let blocks): "removed \(blocks.lowerBound) \(blocks.upperBound)"
      case .full: "full"
      case .clearing: "clearing"
      case .cleared: "cleared"
      case .end: "end"
      }
    }
  }

  /// By one system call, so that no line is lost with the process.
  static func say(_ line: Line) throws { try FileDescriptor.standardOutput.writeAll((line.text + "\n").utf8) }

  /// The lines of a file, the last one only if it is whole.
  static func lines(_ path: String) throws -> [Line] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    defer { try? file.close() }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try buffer.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
      text += buffer.prefix(count)
    }
    let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    return String(decoding: text[..<end], as: UTF8.self).split(separator: "\n").compactMap { Line($0) }
  }
}
