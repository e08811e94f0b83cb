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
    // `!`, also below: there is a zero at least, so there is an address.
    guard let directory = path.withUnsafeBufferPointer({ opendir($0.baseAddress!) }) else {
      if errno == ENOTDIR { return nil }
      throw ReadError.errno(Errno(rawValue: errno), "list it", .init(source: name))
    }
    defer { closedir(directory) }
    var entries: [ListedEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes != [46], bytes != [46, 46] else { continue }
      entries.append(Self.entry(bytes, in: directory))
    }
    guard errno == 0 else { throw ReadError.errno(Errno(rawValue: errno), "list it", .init(source: name)) }
    return entries.sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
  }

  /// The entry of a file.
  static func file(_ path: [CChar], named bytes: [UInt8]) -> ListedEntry {
    path.withUnsafeBufferPointer { entry(bytes, AT_FDCWD, $0.baseAddress!, flags: 0) }
  }

  private static func entry(_ bytes: [UInt8], in directory: OpaquePointer) -> ListedEntry {
    (bytes + [0]).withUnsafeBytes { name in
      entry(bytes, dirfd(directory), name.assumingMemoryBound(to: CChar.self).baseAddress!, flags: AT_SYMLINK_NOFOLLOW)
    }
  }

  private static func entry(
    _ bytes: [UInt8], _ directory: CInt, _ path: UnsafePointer<CChar>, flags: CInt
  ) -> ListedEntry {
    var facts = stat()
    // It may have been removed by now.
    guard fstatat(directory, path, &facts, flags) == 0 else { return ListedEntry(nameBytes: bytes) }
    let kind = facts.st_mode & S_IFMT
    return ListedEntry(
      nameBytes: kind == S_IFDIR ? bytes + [UInt8(ascii: "/")] : bytes, isFolder: kind == S_IFDIR,
      byteCount: kind == S_IFREG ? Int(facts.st_size) : nil,
      modified: HTTPDate(secondsSince1970: Platform.modified(facts)))
  }
}
