#if Tool
import RangeIO
import RangeIOSupport

/// The file that a copy makes, and the names of the two files beside it while it is not complete.
struct CopyTarget {
  let path: String
  /// A file of that name is replaced.
  let replaces: Bool
  /// The permissions of the file that is replaced.
  let permissions: UInt16?

  /// The bytes that have arrived.
  var part: String { sibling(".rangeio-part") }
  var journal: String { sibling(".rangeio-journal") }

  /// The most bytes in the name of a file, on every file system that is used today.
  private static let maxNameLength = 255

  /// - Parameters:
  ///   - name: what the file is called if `path` is a directory, as `cp` does it; `nil`: a directory is no target.
  ///   - force: whether an existing file of that name may be replaced.
  init(_ path: String, naming name: String?, force: Bool) throws(ToolFailure) {
    try self.init(path, naming: name, isNamed: false, force: force)
  }

  /// - Parameter isNamed: whether `path` ends in the name of the file.
  private init(_ path: String, naming name: String?, isNamed: Bool, force: Bool) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("the name of the target is empty") }
    var status = stat()
    if let name, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      let path = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      self = try CopyTarget(path, naming: nil, isNamed: true, force: force)
      return
    }
    // `lstat` first: a dangling link is also a file of that name.
    let exists = lstat(path, &status) == 0
    guard exists || !path.hasSuffix("/") else {
      throw ToolFailure("cannot write to \(path): there is no such directory; make it first")
    }
    let leadsSomewhere = exists && stat(path, &status) == 0
    if leadsSomewhere, status.st_mode & S_IFMT == S_IFDIR {
      guard isNamed else {
        throw ToolFailure(
          "cannot copy into \(path): the source has no name that a file there could have; name the file")
      }
      throw .isDirectory(path)
    }
    guard !exists || force else { throw .exists(path) }
    replaces = exists
    guard leadsSomewhere else {
      self.path = path
      permissions = nil
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ToolFailure("cannot copy to \(path): it is no file; use 'rangeio read' with --output")
    }
    self.path = OutputFile.resolved(path)
    // Not what runs a file with the rights of its owner: that is another user now.
    permissions = UInt16(status.st_mode & 0o777)
  }

  var directory: String { path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "." }

  private func sibling(_ suffix: String) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[start...]
    guard name.utf8.count + suffix.utf8.count > Self.maxNameLength else { return path + suffix }
    let digest = Bytes(SHA256.digest(of: Array(name.utf8)).prefix(16)).hex
    return "\(path[..<start]).rangeio-\(digest)\(suffix)"
  }
}
#endif
