#if Serve
  internal import CRangeIOSystem
  public import RangeIO
  public import SystemPackage

  /// The files of a directory and those below it.
  ///
  /// Names that begin with a dot are not served. Symbolic links are followed within the directory; one that leads out
  /// of it leads nowhere. (On systems other than Linux no link is followed.)
  public final class DirectoryUpstream: ServedUpstream {
    /// A file that replaces another is seen after this time; a file that is written to at once, by its next read.
    public let freshness = Duration.milliseconds(100)
    /// The most entries of a listing. What comes after them is left out.
    public static let mostEntries = 10_000

    private let root: FileDescriptor
    private let path: String
    private let pipeline: ReadPipeline
    private let threads: IOThreads

    /// Opens the directory. If it is moved later, its files are still those that are served.
    ///
    /// - Parameter pipeline: what files are read through. Default: the page cache alone, which has no copy to keep.
    /// - Throws: `ReadError` if there is no such directory, or it cannot be read.
    public init(_ path: FilePath, pipeline: ReadPipeline = .localFile(cache: nil)) throws {
      // A link to the directory is followed: the name is the administrator's.
      let descriptor = path.withPlatformString { rio_open_readonly($0) }
      guard descriptor >= 0 else {
        throw ReadError.errno(Errno(rawValue: -descriptor), "open the directory", .init(source: path.string))
      }
      var status = rio_stat()
      guard rio_fstat(descriptor, &status) >= 0, rio_file_kind_of(status.mode) == rio_directory else {
        _ = rio_close(descriptor)
        throw ReadError(.unsupportedSource, "\(path.string) is no directory", source: path.string)
      }
      root = FileDescriptor(rawValue: descriptor)
      self.path = path.string
      self.pipeline = pipeline
      threads = rio_may_be_remote(descriptor) ? IOThreads(limit: 16) : .shared
    }

    deinit { _ = rio_close(root.rawValue) }

    /// The file or directory of these names.
    public func look(at names: [String]) async throws -> ServedItem {
      // The directory may be on a server that does not answer: a thread of the library waits for it.
      let (root, path, pipeline) = (root, path, pipeline)
      return try await threads.value { [self] in
        try withExtendedLifetime(self) { try Self.look(at: names, in: root, path, pipeline) }
      }
    }

    private static func look(
      at names: [String], in root: FileDescriptor, _ path: String, _ pipeline: ReadPipeline
    ) throws -> ServedItem {
      let relative = names.isEmpty ? "." : names.joined(separator: "/")
      let file = try OpenedFile(beneath: root, relative, name: names.isEmpty ? path : path + "/" + relative)
      switch rio_file_kind_of(file.status.mode) {
      case rio_regular_file:
        return .object(file.object(pipeline))
      case rio_directory: return .directory(try entries(of: file.descriptor))
      default: throw ReadError.nothingServed
      }
    }

    private static func entries(of directory: CInt) throws -> [ServedItem.Entry] {
      // Filled by the callback below, which runs within the call.
      var names: [String] = []
      let result = withUnsafeMutablePointer(to: &names) { names in
        rio_disk_names(
          directory,
          { context, name in
            guard let context, let name, let text = String(validatingCString: name), RequestTarget.isServed(text)
            else { return }
            context.assumingMemoryBound(to: [String].self).pointee.append(text)
          }, names)
      }
      guard result >= 0 else {
        throw ReadError.errno(Errno(rawValue: -result), "list the directory", .init(source: ""))
      }
      names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      var entries: [ServedItem.Entry] = []
      for name in names {
        guard entries.count < mostEntries else { break }
        var status = rio_stat()
        // Links that lead out, and what is no file, are not shown either.
        guard rio_stat_beneath(directory, name, &status) >= 0 else { continue }
        switch rio_file_kind_of(status.mode) {
        case rio_regular_file:
          entries.append(.init(name: name, size: Int(status.size), modified: Int(status.modified.seconds)))
        case rio_directory:
          entries.append(.init(name: name, size: nil, modified: Int(status.modified.seconds)))
        default: continue
        }
      }
      return entries
    }
  }
#endif
