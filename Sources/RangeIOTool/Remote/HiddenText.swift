#if Tool
import CRangeIOSystem
import RangeIO
import SystemPackage

/// A secret from where other processes do not see it, unlike the command line: a file, standard input, or the environment. Never
/// shown.
struct HiddenText: Equatable, CustomStringConvertible {
  /// Without blanks and line ends around it.
  let text: String
  var description: String { "…" }

  /// More bytes are no secret, and no list of header fields.
  private static let maxBytes = 1 << 20

  /// The secret in the file at `path`; `-`: in standard input.
  init(file path: String, of option: String) throws(ToolFailure) {
    try self.init(
      Self.contents(of: path, "read the secret", for: "\(option) \(path)"), "\(option) \(path)")
  }

  /// The secret in the environment's variable called `name`.
  init(environment name: String, of option: String) throws(ToolFailure) {
    try self.init(Self.variable(name, for: option), "\(option) \(name)")
  }

  private init(_ text: String, _ origin: String) throws(ToolFailure) {
    let isBlank = { (byte: UInt8) in byte <= 32 }
    let trimmed = Array(text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    guard !trimmed.isEmpty else { throw .usage("\(origin): there is nothing in it") }
    self.text = String(decoding: trimmed, as: UTF8.self)
  }

  /// The text in the file at `path`; `-`: in standard input.
  ///
  /// - Parameter action: what is done with it, for messages.
  static func contents(
    of path: String, _ action: String, for origin: String
  ) throws(ToolFailure) -> String {
    let bytes: [UInt8]
    do { bytes = try self.bytes(path) } catch let failure as ToolFailure { throw failure } catch {
      let errno = error as? Errno ?? .ioError
      throw ToolFailure(
        "\(origin): \(ReadError.errno(errno, action, .init(source: path)).message)", status: .usage)
    }
    guard bytes.count <= maxBytes else { throw .usage("\(origin): it has more than 1 MiB") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .usage("\(origin): this is no UTF-8") }
    return text
  }

  /// The text in the environment's variable called `name`.
  static func variable(_ name: String, for option: String) throws(ToolFailure) -> String {
    guard !name.isEmpty, !name.contains("="), let value = getenv(name) else {
      throw .usage("\(option): the environment has no such variable: write its name, and export it")
    }
    guard let text = String(validatingCString: value) else { throw .usage("\(option) \(name): this is no UTF-8") }
    return text
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let descriptor =
      path == "-"
      ? FileDescriptor.standardInput
      : FileDescriptor(
        rawValue: try PathArgument.withSystemPath(of: path) { path in
          let result = open(path, O_RDONLY | O_CLOEXEC)
          return result < 0 ? -errno : result
        })
    guard descriptor.rawValue >= 0 else { throw Errno(rawValue: -descriptor.rawValue) }
    // `try?`: it was only read.
    defer { if path != "-" { try? descriptor.close() } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= maxBytes {
      let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }
}
#endif
