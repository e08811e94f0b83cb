#if Serve
  internal import CRangeIOSystem
  internal import RangeIO
  internal import SystemPackage

  /// A descriptor that closes with its last owner, unless a source has taken it.
  final class OpenedFile: Sendable {
    let name: String
    let status: rio_stat
    private let held: Locked<CInt?>

    /// Opens the file or directory `path` below `root`.
    ///
    /// - Parameter path: ends in a NUL.
    convenience init(beneath root: FileDescriptor, _ path: [CChar], name: String) throws {
      try self.init(rio_open_beneath(root.rawValue, path), name: name)
    }

    /// Opens the file at `path`.
    convenience init(_ path: FilePath) throws {
      try self.init(path.withPlatformString { rio_open_readonly($0) }, name: path.string)
    }

    /// - Parameter descriptor: that of the open file, or the negative error number.
    private init(_ descriptor: CInt, name: String) throws {
      guard descriptor >= 0 else {
        switch Errno(rawValue: -descriptor) {
        // What leads out of the directory, or through what is no directory, is as good as nothing.
        case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels, .improperLink, .fileNameTooLong,
          .noSuchAddressOrDevice:
          throw ReadError.nothingServed
        case let error: throw ReadError.errno(error, "open the file", source: name)
        }
      }
      var status = rio_stat()
      let result = rio_fstat(descriptor, &status)
      guard result >= 0 else {
        _ = rio_close(descriptor)
        throw ReadError.errno(Errno(rawValue: -result), "look at the file", source: name)
      }
      self.name = name
      self.status = status
      held = Locked(descriptor)
    }

    deinit { if let descriptor = held.withLock({ $0 }) { _ = rio_close(descriptor) } }

    /// For use while this lives.
    var descriptor: CInt { held.withLock { $0 } ?? -1 }

    /// The file as something to serve.
    func object(_ pipeline: ReadPipeline, _ isAppendOnly: Bool) -> ServedItem.Object {
      ServedItem.Object(identity: "\(status.device):\(status.inode)") { [self] in
        let source = FileSource(
          adopting: FileDescriptor(rawValue: take()), name: name, configuration: .init(isAppendOnly: isAppendOnly))
        // A device has no versions to turn to.
        let isDevice = rio_file_kind_of(status.mode) == rio_block_device
        return try await RangeReader(source, pipeline, onChange: isDevice ? .fail : .refresh)
      }
    }

    /// Hands the descriptor over; -1 if that has been done.
    func take() -> CInt {
      held.withLock { held in
        defer { held = nil }
        return held ?? -1
      }
    }
  }
#endif
