import SystemPackage

/// Why something cannot be written to a spill directory.
enum SpillTrouble: Error {
  /// There is no room within the limit, or above the minimum of free disk space.
  case noRoom
  /// Another process that shares the limit does not end its turn to create a file.
  case busy
  case failed(Errno)

  /// Whether reading can continue anyway.
  var concernsWritesOnly: Bool {
    switch self {
    case .noRoom, .busy: true
    case .failed(let errno):
      [.noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .fileTooLarge].contains(errno)
        || errno.isShortageOfDescriptors
    }
  }

  /// The error to report for a directory.
  func error(in directory: String) -> ReadError {
    switch self {
    case .noRoom: return .noSpillRoom(directory)
    case .busy:
      return ReadError(
        .inUse,
        "another process that shares the spill directory is making a file, and does not end: what would be written is "
          + "dropped until it does", isTransient: true, context: .init(source: directory))
    case .failed(let errno): return .errno(errno, "write a spill file", .init(source: directory))
    }
  }
}

extension ReadError {
  static func mayReturn(_ directory: String) -> ReadError {
    ReadError(
      .inputOutput,
      "a file of the spill directory could not be read when it was opened, and may hold some of the source that was "
        + "removed: remove everything, or remove the source again when the file can be read",
      context: .init(source: directory))
  }

  static func noSpillRoom(_ directory: String) -> ReadError {
    ReadError(
      .limitExceeded,
      "it does not fit now: the spill directory is full, or its disk is; try again when something was removed, or raise "
        + "the limit", isTransient: true, context: .init(source: directory))
  }
}
