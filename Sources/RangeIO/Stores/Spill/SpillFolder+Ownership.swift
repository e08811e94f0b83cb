/// Tells which library owns a directory. Names alone prove nothing, since others may also use the names `lock` and
/// `store`.
extension SpillFolder {
  /// The first bytes of `lock`, `store` and segments.
  static let mark = "RIOSPILL"

  /// Whether a store made a directory, or the directory is still empty.
  ///
  /// A store made it if a file with one of our names begins with ``mark``. Before that, a process that is killed leaves
  /// empty files.
  static func isSpillDirectory(_ directory: any SpillDirectory, _ names: [String], on disk: any SpillDisk) -> Bool {
    let isMarked = names.contains { name in
      (fileNames.contains(name) || SpillFormat.segmentNumber(name) != nil) && isMarkedFile(directory, name, on: disk)
    }
    return isMarked || names.allSatisfy { fileNames.contains($0) && isBlank(directory, $0, on: disk) }
  }

  private static func isMarkedFile(_ directory: any SpillDirectory, _ name: String, on disk: any SpillDisk) -> Bool {
    start(of: name, in: directory, on: disk).map { $0.count >= 8 && $0.prefix(8).elementsEqual(mark.utf8) } ?? false
  }

  private static func isBlank(_ directory: any SpillDirectory, _ name: String, on disk: any SpillDisk) -> Bool {
    start(of: name, in: directory, on: disk)?.allSatisfy { $0 == 0 } ?? false
  }

  /// `nil` if it is no file of ours. A file that cannot be read proves nothing; the other files may.
  private static func start(of name: String, in directory: any SpillDirectory, on disk: any SpillDisk) -> [UInt8]? {
    guard let status = try? directory.status(of: name), isOurs(status, on: disk),
      let file = try? directory.open(name, writing: false)
    else { return nil }
    return try? SpillScan.bytes(of: file, at: 0, SpillFormat.headerCount)
  }
}
