#if Serve
  internal import CRangeIOSystem
  public import RangeIO
  internal import RangeIOSupport
  internal import SystemPackage

  /// The files of a directory and those below it.
  ///
  /// Names that begin with a dot are not served. Symbolic links are followed within the directory. A link that leads
  /// out of it, or to a name that begins with a dot, leads nowhere. (On systems other than Linux no link is followed.)
  public final class DirectoryUpstream: ServedUpstream {
    /// A file that replaces another is seen after this time; a file that is written to at once, by its next read.
    public let freshness = Duration.milliseconds(100)
    /// The most entries of one listing. The next one has those after them.
    public static let maxEntries = 10_000

    private let root: FileDescriptor
    private let path: String
    private let pipeline: ReadPipeline
    private let isAppendOnly: Bool
    private let threads: IOThreads
    /// Listings in the making. Each reads all names of its directory, so they are few at a time, on threads of their own.
    let listings = SharedWork<ListingKey, ServedItem.Listing>()
    let listingThreads = IOThreads(limit: 2)

    /// The key of a listing. The directory itself belongs to it, since another may take its name.
    struct ListingKey: Hashable, Sendable {
      let path: [ServedName]
      let device, inode: UInt64
      let after: ServedName?
    }

    /// Opens the directory. If it is moved later, its files are still served.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - pipeline: what files are read through. Default: the page cache alone, which has no copy to keep.
    ///   - isAppendOnly: whether all files only grow, as logs and recordings do. An answer then has the size that the
    ///     file had when the answer began, and is not cut off when the file grows. Default: a file that grows is another
    ///     version.
    /// - Throws: `ReadError` if there is no such directory, or it cannot be read.
    public init(
      _ path: String, pipeline: ReadPipeline = .localFile(cache: nil), isAppendOnly: Bool = false
    ) throws {
      // A link to the directory is followed: the name is the administrator's.
      let descriptor = FilePath(path).withPlatformString { rio_open_readonly($0) }
      guard descriptor >= 0 else {
        throw ReadError.errno(Errno(rawValue: -descriptor), "open the directory", source: path)
      }
      var status = rio_stat()
      guard rio_fstat(descriptor, &status) >= 0, rio_file_kind_of(status.mode) == rio_directory else {
        _ = rio_close(descriptor)
        throw ReadError(
          .unsupportedSource, "it is no directory, nor a file that can be read at any offset: name one of these",
          source: path)
      }
      root = FileDescriptor(rawValue: descriptor)
      self.path = path
      self.pipeline = pipeline
      self.isAppendOnly = isAppendOnly
      threads = rio_may_be_remote(descriptor) ? IOThreads(limit: 16) : .shared
    }

    deinit { _ = rio_close(root.rawValue) }

    /// The file or directory of these names.
    public func look(at names: [ServedName]) async throws -> ServedItem {
      // The directory may be on a server that does not answer: a thread of the library waits for it.
      try await threads.value { [self] _ in
        let below = names.isEmpty ? "" : "/" + names.map(\.description).joined(separator: "/")
        let file = try OpenedFile(beneath: root, Self.path(names), name: path + below)
        switch rio_file_kind_of(file.status.mode) {
        case rio_regular_file: return .object(file.object(pipeline, isAppendOnly))
        case rio_directory:
          return .directory(
            ServedItem.Directory { [self] name in
              let key = ListingKey(path: names, device: file.status.device, inode: file.status.inode, after: name)
              return try await listings.value(for: key) {
                try await self.listingThreads.value { try self.list(file, names, after: name, $0) }
              }
            })
        default: throw ReadError.nothingServed
        }
      }
    }

    private static func path(_ names: [ServedName]) -> [CChar] {
      let bytes = names.isEmpty ? [UInt8(ascii: ".")] : Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
      return bytes.map { CChar(bitPattern: $0) } + [0]
    }

    /// - Parameter names: those of the directory.
    /// - Throws: `CancellationError` at the next name when the interest is lost.
    func list(
      _ directory: OpenedFile, _ names: [ServedName], after last: ServedName?, _ interest: WorkInterest
    ) throws -> ServedItem.Listing {
      var listing = ServedItem.Listing([])
      for name in try Self.names(in: directory, interest) {
        try interest.check()
        if let last, !last.bytes.lexicographicallyPrecedes(name.bytes) { continue }
        guard listing.entries.count < Self.maxEntries else {
          listing.isCut = true
          break
        }
        var status = rio_stat()
        // From the root on, as it would be opened. Links that lead out, and what is no file, are not shown either.
        guard rio_stat_beneath(root.rawValue, Self.path(names + [name]), &status) >= 0 else { continue }
        let modified = Int(status.modified.seconds)
        switch rio_file_kind_of(status.mode) {
        case rio_regular_file:
          listing.entries.append(
            .init(name: name, byteCount: Int(status.size), modifiedSecondsSince1970: modified))
        case rio_directory:
          listing.entries.append(.init(name: name, byteCount: nil, modifiedSecondsSince1970: modified))
        default: continue
        }
      }
      return listing
    }

    /// The names that may be served, in the order of their bytes.
    private static func names(in directory: OpenedFile, _ interest: WorkInterest) throws -> [ServedName] {
      // Filled by the callback below, which runs within the call.
      var found = (names: [ServedName](), interest: interest)
      let result = withUnsafeMutablePointer(to: &found) { found in
        rio_disk_names(
          directory.descriptor,
          { context, name in
            guard let context, let name else { return true }
            let found = context.assumingMemoryBound(to: ([ServedName], WorkInterest).self)
            let bytes = sequence(first: name) { $0 + 1 }.lazy.map { UInt8(bitPattern: $0.pointee) }.prefix { $0 != 0 }
            let served = ServedName(bytes: bytes)
            if served.isServed { found.pointee.0.append(served) }
            return !found.pointee.1.isLost
          }, found)
      }
      try interest.check()
      guard result >= 0 else {
        throw ReadError.errno(Errno(rawValue: -result), "list the directory", source: directory.name)
      }
      found.names.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      return found.names
    }
  }
#endif
