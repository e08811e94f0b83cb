#if Serve
  internal import CRangeIOSystem
  public import RangeIO
  internal import SystemPackage

  /// One file, by its path: whatever file stands there when it is asked for. Or a block device, which is read as it is at
  /// that moment: it has no version, and so no tag.
  public struct FileUpstream: ServedUpstream {
    /// See ``DirectoryUpstream/freshness``.
    public let freshness = Duration.milliseconds(100)

    private let path: FilePath
    private let pipeline: ReadPipeline
    private let isAppendOnly: Bool

    /// The file at `path`, which may come later and go again.
    ///
    /// - Parameters:
    ///   - path: the file, or a block device.
    ///   - pipeline: what it is read through. Default: the page cache alone, which has no copy to keep. A cache would
    ///     never see a block device change.
    ///   - isAppendOnly: whether the file only grows: see ``DirectoryUpstream/init(_:pipeline:isAppendOnly:)``.
    public init(_ path: String, pipeline: ReadPipeline = .localFile(cache: nil), isAppendOnly: Bool = false) {
      self.path = FilePath(path)
      self.pipeline = pipeline
      self.isAppendOnly = isAppendOnly
    }

    /// The file, at the path of no names.
    public func look(at names: [ServedName]) async throws -> ServedItem {
      guard names.isEmpty else { throw ReadError.nothingServed }
      // The file may be on a server that does not answer: a thread of the library waits for it.
      let (path, pipeline, isAppendOnly) = (path, pipeline, isAppendOnly)
      return try await IOThreads.forWork.value { _ in
        let file = try OpenedFile(path)
        guard [rio_regular_file, rio_block_device].contains(rio_file_kind_of(file.status.mode)) else {
          throw ReadError.nothingServed
        }
        return .object(file.object(pipeline, isAppendOnly))
      }
    }
  }
#endif
