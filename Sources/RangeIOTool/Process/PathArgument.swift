#if Tool
import RangeIO
import SystemPackage

/// Paths as given on the command line: they may begin with `~`, and may not be UTF-8.
///
/// The argument parser has arguments only as `String`, in which bytes that are not UTF-8 have become U+FFFD. For such
/// an argument, the original bytes are looked up in the arguments of the process.
enum PathArgument {
  /// The file named `text`, as a source.
  static func source(
    _ text: String, configuration: FileSource.Configuration = .init()
  ) throws(ToolFailure) -> FileSource {
    guard let bytes = try rawBytes(of: text) else { return FileSource(text, configuration: configuration) }
    return FileSource(FilePath(platformString: bytes), configuration: configuration)
  }

  /// Calls `body` with the path of the file named `text`, in the form that system calls need.
  static func withSystemPath<Result>(
    of text: String, _ body: (UnsafePointer<CChar>) -> Result
  ) throws(ToolFailure) -> Result {
    var bytes = try rawBytes(of: text)
    if bytes == nil { bytes = Array(try expanded(text, name: text).utf8CString) }
    return bytes!.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  /// The path of an output file or directory, or of a spill directory.
  ///
  /// - Parameter name: the option that `text` was given for, such as `--output`.
  static func path(_ text: String, for name: String) throws(ToolFailure) -> String {
    guard try rawBytes(of: text) == nil else {
      throw .usage("\(name): '\(text)' is not UTF-8: choose another name, or rename what has this one")
    }
    return try expanded(text, name: name)
  }

  /// `text` with a leading `~` or `~user` replaced by that home directory, as `FileSource` and shells do it.
  private static func expanded(_ text: String, name: String) throws(ToolFailure) -> String {
    guard text.first == "~" else { return text }
    let user = text.dropFirst().prefix { $0 != "/" }
    guard let home = user.isEmpty ? ownHome : home(of: getpwnam(String(user))) else {
      throw .usage(
        "\(name): no home directory is known for '~\(user)': write the path in full, or './~…' for a file of that name")
    }
    return home + text.dropFirst(1 + user.count)
  }

  private static var ownHome: String? {
    if let home = getenv("HOME"), home.pointee != 0 { return String(cString: home) }
    return home(of: getpwuid(getuid()))
  }

  private static func home(of entry: UnsafeMutablePointer<passwd>?) -> String? {
    entry?.pointee.pw_dir.map { String(cString: $0) }
  }

  /// The original bytes of the argument that the parser turned into `text`, with a zero at the end; `nil` if `text` is
  /// exactly what the user wrote.
  private static func rawBytes(of text: String) throws(ToolFailure) -> [CChar]? {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return nil }
    var found: Set<[CChar]> = []
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    for word in words.dropFirst() {
      guard let word else { continue }
      // The whole argument, or the part after the `=` of an option.
      var starts = [word]
      if word.pointee == CChar(UInt8(ascii: "-")), let equals = strchr(word, CInt(UInt8(ascii: "="))) {
        starts.append(equals + 1)
      }
      for start in starts where String(cString: start).utf8.elementsEqual(text.utf8) {
        let bytes = UnsafeBufferPointer(start: start, count: strlen(start) + 1)
        // If the user wrote U+FFFD itself, the argument is valid UTF-8.
        guard !UnsafeRawBufferPointer(bytes).dropLast().elementsEqual(text.utf8) else { return nil }
        found.insert(Array(bytes))
      }
    }
    guard found.count <= 1 else {
      throw .usage(
        "'\(text)' is not UTF-8, and two arguments look like this: open the file in the shell and name its descriptor, "
          + "'/dev/fd/3' with '3< FILE'")
    }
    return found.first
  }
}
#endif
