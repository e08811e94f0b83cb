/// Whose directory it is: names alone say nothing, since `lock` and `store` are names that others choose, too.
extension SpillFolder {
  /// What `lock`, `store` and segments begin with.
  static let mark = "RIOSPILL"

  /// Whether a store made a directory, or nobody put anything into it yet.
  ///
  /// A store did if a file of one of our names begins with ``mark``. Before there is one, a process that is killed leaves
  /// files without anything in them.
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

  /// `nil` for what is no file of ours. What cannot be read says nothing: others may.
  private static func start(of name: String, in directory: any SpillDirectory, on disk: any SpillDisk) -> [UInt8]? {
    guard let status = try? directory.status(of: name), isOurs(status, on: disk),
      let file = try? directory.open(name, writing: false)
    else { return nil }
    return try? SpillScan.bytes(of: file, at: 0, SpillFormat.headerCount)
  }
}
