import CRangeIOSystem
import RangeIO
import SystemPackage

/// Header fields from where other processes do not see them: a file, standard input, or the environment. One field a
/// line; blank lines are skipped.
enum HeaderLines {
  /// More bytes are no list of fields.
  private static let maxBytes = 1 << 20

  /// The fields in the file at `path`; `-`: in standard input.
  static func file(_ path: String) throws(ToolFailure) -> [RemoteHeader] {
    let bytes: [UInt8]
    do { bytes = try contents(path) } catch let failure as ToolFailure { throw failure } catch {
      let errno = error as? Errno ?? .ioError
      throw ToolFailure(
        "--header @\(path): \(ReadError.errno(errno, "read the headers", .init(source: path)).message)", status: .usage)
    }
    guard bytes.count <= maxBytes else { throw .usage("--header: \(path) has more than 1 MiB") }
    return try fields(String(validating: bytes, as: UTF8.self), of: "--header @\(path)")
  }

  /// The fields in the environment's variable called `name`.
  static func environment(_ name: String) throws(ToolFailure) -> [RemoteHeader] {
    guard !name.isEmpty, !name.contains("="), let value = getenv(name) else {
      throw .usage("--header-env: the environment has no such variable: write its name, and export it")
    }
    return try fields(String(validatingCString: value), of: "--header-env \(name)")
  }

  /// - Parameter text: `nil` if what was read is no UTF-8.
  private static func fields(_ text: String?, of origin: String) throws(ToolFailure) -> [RemoteHeader] {
    guard let text else { throw .usage("\(origin): this is no UTF-8") }
    var fields: [RemoteHeader] = []
    for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let line = String(Substring(line.last == 13 ? line.dropLast() : line))
      guard !line.utf8.allSatisfy({ $0 == 32 || $0 == 9 }) else { continue }
      fields.append(try RemoteHeader(parsing: line, of: "\(origin), line \(index + 1)"))
    }
    guard !fields.isEmpty else { throw .usage("\(origin): there is no header in it") }
    return fields
  }

  private static func contents(_ path: String) throws -> [UInt8] {
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
