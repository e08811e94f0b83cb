#if Tool
import CRangeIOSystem
import RangeIO
import RangeIORemote
import SystemPackage

/// The names in a directory of the local file system, as a listing has them: in the order of their bytes, links as they are.
enum DirectoryNames {
  /// - Parameters:
  ///   - path: with a zero at the end.
  ///   - name: what errors call it.
  /// - Returns: `nil` if this is no directory.
  /// - Throws: `ReadError`.
  static func list(_ path: [CChar], name: String) throws(ReadError) -> [ListedEntry]? {
    func failure() -> ReadError { .errno(Errno(rawValue: errno), "list it", .init(source: name)) }
    guard let directory = opendir(path) else {
      if Errno(rawValue: errno) == .notDirectory { return nil }
      throw failure()
    }
    defer { closedir(directory) }
    var entries: [ListedEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw failure() }
        break
      }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes != [46], bytes != [46, 46] else { continue }
      var facts = stat()
      let isThere =
        lstat(path.dropLast() + ([UInt8(ascii: "/")] + bytes + [0]).map { CChar(bitPattern: $0) }, &facts) == 0
      // It may have been removed by now.
      entries.append(isThere ? Self.entry(bytes, facts) : ListedEntry(nameBytes: bytes))
    }
    return entries.sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
  }

  /// The entry of a file.
  static func file(_ path: [CChar], named bytes: [UInt8]) -> ListedEntry {
    var facts = stat()
    return stat(path, &facts) == 0 ? entry(bytes, facts) : ListedEntry(nameBytes: bytes)
  }

  private static func entry(_ bytes: [UInt8], _ facts: stat) -> ListedEntry {
    let kind = facts.st_mode & S_IFMT
    return ListedEntry(
      nameBytes: kind == S_IFDIR ? bytes + [UInt8(ascii: "/")] : bytes, isFolder: kind == S_IFDIR,
      byteCount: kind == S_IFREG ? Int(facts.st_size) : nil,
      modified: HTTPDate(secondsSince1970: Platform.times(facts).0.tv_sec))
  }
}
#endif
