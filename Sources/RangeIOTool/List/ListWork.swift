#if Tool
import RangeIO
import RangeIORemote

/// Lists a place: a directory, or names behind a URL. Stores list recursively themselves; elsewhere each folder is listed when
/// it is met.
struct ListWork {
  let name: SourceName
  let options: OpeningOptions
  let isRecursive: Bool
  /// Asks a web server by WebDAV alone.
  var isWebDAV = false

  /// Folders within folders. A server may make up more, without end.
  private static let maxDepth = 256
  /// Folders that are still to be listed.
  private static let maxPending = 1_000_000

  /// Passes each entry to `take`, with its name below the place.
  func run(_ take: (ListedEntry) throws -> Void) async throws {
    guard !name.isURL || name.kind == .http else { return try await list(below: [], isRecursive, take) }
    var folders: [[UInt8]] = [[]]
    while let folder = folders.popLast() {
      try Task.checkCancellation()
      var within: [[UInt8]] = []
      try await list(below: folder, false) { entry in
        let path = folder + entry.nameBytes
        try take(entry.named(path))
        guard isRecursive, entry.isFolder else { return }
        guard path.count(where: { $0 == UInt8(ascii: "/") }) <= Self.maxDepth,
          folders.count + within.count < Self.maxPending
        else {
          throw ToolFailure("\(name.shown): it has folders within folders without end: list one of them, or without -r")
        }
        within.append(path)
      }
      folders += within.reversed()
    }
  }

  private func list(
    below folder: [UInt8], _ isRecursive: Bool, _ take: (ListedEntry) throws -> Void
  ) async throws {
    do {
      if name.isURL {
        #if HTTP
        let listing = try RemoteListing(
          name, below: folder, isRecursive: isRecursive, isWebDAV: isWebDAV, options)
        for try await entry in listing { try take(entry) }
        #else
        // Fails: this build reads no URLs.
        _ = try OpenedSource(name, options)
        #endif
      } else {
        for entry in try local(folder) { try take(entry) }
      }
    } catch let error as ReadError {
      throw ToolFailure(reading: name, error)
    }
  }

  private func local(_ folder: [UInt8]) throws -> [ListedEntry] {
    let root = try PathArgument.withSystemPath(of: name.text) { path in
      Array(UnsafeBufferPointer(start: path, count: strlen(path)))
    }
    let below = folder.map { CChar(bitPattern: $0) }
    let path = folder.isEmpty ? root : root + [CChar(UInt8(ascii: "/"))] + below
    if let entries = try DirectoryNames.list(path + [0], name: name.text) { return entries }
    return [DirectoryNames.file(path + [0], named: Array(name.text.utf8))]
  }
}

extension ListedEntry {
  /// The same under another name.
  func named(_ nameBytes: [UInt8]) -> ListedEntry {
    ListedEntry(
      nameBytes: nameBytes, isFolder: isFolder, byteCount: byteCount, version: version, modified: modified)
  }
}
#endif
