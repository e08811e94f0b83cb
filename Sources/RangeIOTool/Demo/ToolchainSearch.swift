#if Tool
/// Finds a large file on any machine that can build this tool: the largest file of the Swift toolchain.
enum ToolchainSearch {
  /// Smaller files are not useful for a demo.
  private static let minUsefulBytes = 1 << 20

  /// The path of the largest file found, or if there is none, of this program itself.
  static func largestFile() throws(ToolFailure) -> String {
    for root in roots() {
      if let found = LargestFile(under: root).path, size(found) >= minUsefulBytes { return found }
    }
    if let program = resolved(CommandLine.arguments[0]), size(program) > 0 { return program }
    throw ToolFailure("no file to read was found: name one, as in 'rangeio demo FILE'")
  }

  /// The directories to search, best first.
  private static func roots() -> [String] {
    var roots: [String] = []
    if let swift = executable("swift"), let directory = parent(of: swift) {
      // A toolchain keeps its libraries next to the directory of its programs.
      if directory != "/usr/bin", let toolchain = parent(of: directory), toolchain != "/" { roots.append(toolchain) }
    }
    if let home = getenv("HOME") { roots.append(String(cString: home) + "/.local/share/swiftly/toolchains") }
    return roots + [
      "/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr",
      "/Library/Developer/CommandLineTools/usr", "/usr/lib/swift", "/usr/libexec/swift", "/usr/lib",
    ]
  }

  /// The program that a shell would start for `name`, with symbolic links resolved.
  private static func executable(_ name: String) -> String? {
    guard let path = getenv("PATH") else { return nil }
    for directory in String(cString: path).split(separator: ":") {
      let candidate = "\(directory)/\(name)"
      if access(candidate, X_OK) == 0 { return resolved(candidate) }
    }
    return nil
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func parent(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

/// The largest readable regular file in a tree. Symbolic links are not followed.
struct LargestFile {
  /// Limits the search: a toolchain has some thousands of files, ten levels deep.
  private static let maxEntries = 50_000
  private static let maxLevels = 12

  private(set) var path: String?
  private var size = 0
  private var entries = 0

  init(under root: String) { visit(root, level: 0) }

  private mutating func visit(_ directory: String, level: Int) {
    guard level < Self.maxLevels, let listing = opendir(directory) else { return }
    defer { closedir(listing) }
    while entries < Self.maxEntries, let entry = readdir(listing) {
      entries += 1
      let name = Self.name(of: entry)
      if name == "." || name == ".." { continue }
      consider("\(directory)/\(name)", level)
    }
  }

  private mutating func consider(_ candidate: String, _ level: Int) {
    var status = stat()
    guard lstat(candidate, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      visit(candidate, level: level + 1)
    case S_IFREG where Int(status.st_size) > size && access(candidate, R_OK) == 0:
      path = candidate
      size = Int(status.st_size)
    default: break
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // Through the pointer: the kernel's record may be shorter than the struct, so copying the whole struct is not
    // allowed.
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    return String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
  }
}
#endif
