import CRangeIOSystem
import SystemPackage

/// Paths as people write them in a program's arguments or settings.
package enum FilePathExpansion {
  /// Replaces a leading `~` or `~user` in `path`. Leaves a name that is not UTF-8 unchanged.
  static func expand(_ path: FilePath) throws(ReadError) -> FilePath {
    guard let text = String(validating: path) else { return path }
    return FilePath(try expand(text))
  }

  /// Replaces a leading `~` or `~user` in `path` with that home directory, as a shell does. `./~` names a file `~`.
  package static func expand(_ path: String) throws(ReadError) -> String {
    if path.isEmpty { throw ReadError(.notFound, "the path is empty: name a file") }
    if path.utf8.contains(0) {
      throw ReadError(
        .notFound, "the path contains a NUL character, which no file's name can", context: .init(source: path))
    }
    guard path.first == "~" else { return path }
    let user = path.dropFirst().prefix { $0 != "/" }
    guard let home = user.isEmpty ? ownHome() : home(of: String(user)) else {
      throw ReadError(
        .notFound,
        "no home directory is known for '~\(user)': write the path in full, or './~…' for a file of that name",
        context: .init(source: path))
    }
    return home + path.dropFirst(1 + user.count)
  }

  /// `path` relative to the current directory; `path` itself if that directory has no name. Resolves no symbolic links.
  static func absolute(_ path: FilePath) -> FilePath {
    guard path.isRelative, let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return FilePath(platformString: directory).pushing(path)
  }

  /// The path that `path` leads to through symbolic links; `path` itself if there is nothing.
  static func resolved(_ path: FilePath) -> FilePath {
    guard let real = path.withPlatformString({ realpath($0, nil) }) else { return path }
    defer { free(real) }
    return FilePath(platformString: real)
  }

  private static func ownHome() -> String? {
    if let home = getenv("HOME"), home.pointee != 0 { return String(cString: home) }
    return home { getpwuid_r(getuid(), $0, $1, $2, $3) }
  }

  private static func home(of user: String) -> String? {
    home { getpwnam_r(user, $0, $1, $2, $3) }
  }

  private static func home(
    _ lookUp: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt
  ) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { text in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let result = lookUp(&entry, text.baseAddress!, text.count, &found)
      guard result == 0, let found, let directory = found.pointee.pw_dir else { return nil }
      return String(cString: directory)
    }
  }
}
