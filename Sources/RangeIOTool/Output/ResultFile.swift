#if Tool
import RangeIO

/// A file that is written at the end of long work. Whether its name can be used is known at the beginning.
struct ResultFile {
  private let path: String
  private let force: Bool

  init(_ path: String, force: Bool) throws(ToolFailure) {
    (self.path, self.force) = (path, force)
    // Makes a file beside it and removes that again.
    _ = try OutputFile.create(path, force: force)
  }

  func write(_ text: String) throws {
    var file = try OutputFile.create(path, force: force)
    try file.write(.bytes(Bytes(Array(text.utf8)), at: 0))
    try file.finish()
  }
}
#endif
