public import SystemPackage

extension ReadError {
  /// Turns a failed system call into an error for the user, for a source or store of your own. The error number decides
  /// the code, the advice, and whether to try again. This is the only place that interprets error numbers.
  ///
  /// - Parameters:
  ///   - errno: the error number of the system call.
  ///   - action: what was being done, as in "cannot *open* the file".
  ///   - source: what the user calls the source, or the path that was to be opened.
  ///   - range: the bytes that were being read.
  public static func errno(_ errno: Errno, _ action: String, source: String, range: Range<Int>? = nil) -> ReadError {
    .errno(errno, action, Context(source: source, range: range))
  }

  /// - Parameter isRemote: whether the file may be on a server: then the device is one that may be reached again. Asked
  ///   only if that matters.
  package static func errno(
    _ errno: Errno, _ action: String, _ context: Context, isRemote: @autoclosure () -> Bool = false
  ) -> ReadError {
    let (code, advice, isTransient) = meaningOnServer(of: errno).flatMap { isRemote() ? $0 : nil } ?? meaning(of: errno)
    return ReadError(
      code, "cannot \(action): \(errno.description.lowercased()) (\(errno.rawValue)); \(advice)",
      isTransient: isTransient, context: context, cause: errno)
  }

  private static let unreachable =
    "the file's server could not be reached: try again; if that does not help, look at the mount"

  /// The meaning of a disk error on a mount: its server could not be reached. `nil` for other numbers.
  private static func meaningOnServer(of errno: Errno) -> (Code, advice: String, isTransient: Bool)? {
    switch errno {
    case .ioError, .noData, .remoteInputOutput: (.inputOutput, unreachable, true)
    default: nil
    }
  }

  private static func meaning(of errno: Errno) -> (Code, advice: String, isTransient: Bool) {
    switch errno {
    case .noSuchFileOrDirectory, .notDirectory:
      (.notFound, "check the path, and the directory that a relative path starts from", false)
    case .permissionDenied, .notPermitted:
      (.permissionDenied, "check the permissions of the file, and of every directory above it, for this user", false)
    case .tooManySymbolicLinkLevels:
      (.notFound, "the symbolic links form a loop", false)
    case .fileNameTooLong:
      (.notFound, "shorten the path", false)
    case .isDirectory:
      (.unsupportedSource, "name a file in that directory", false)
    case .noSuchAddressOrDevice:
      (.unsupportedSource, "there is nothing behind it that can be read", false)
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      (.resourcesExhausted, "close other files, or raise the limit (ulimit -n)", true)
    case .noMemory:
      (.resourcesExhausted, "read less at once, or free memory", true)
    case .noSpace, .diskQuotaExceeded:
      (.resourcesExhausted, "make room on the disk", true)
    case .readOnlyFileSystem:
      (
        .permissionDenied,
        "the file system is mounted read-only: name a directory on another, or open what is there with isReadOnly",
        false
      )
    case .interrupted, .resourceTemporarilyUnavailable:
      (.inputOutput, "try again", true)
    case .staleNFSFileHandle:
      (.sourceChanged, "the file was removed on its server: open it again", false)
    case .badFileDescriptor:
      (.closed, "the descriptor was closed behind the reader's back: leave closing to whoever adopted it", false)
    case .ioError:
      (.inputOutput, "the device failed to read: look at the system's log, and at the disk", false)
    case .connectionReset, .connectionAbort, .connectionRefused, .brokenPipe, .socketNotConnected, .socketShutdown,
      .hostIsDown, .noRouteToHost, .networkDown, .networkUnreachable, .networkReset:
      (.inputOutput, unreachable, true)
    case .keyHasExpired:
      (.inputOutput, "your ticket for the file's server has expired: renew it, as with kinit, and try again", true)
    case .timedOut:
      (.timedOut, "the device or server did not answer: try again", true)
    default:
      (.inputOutput, "look at the system's log", false)
    }
  }
}

extension Errno {
  /// `EREMOTEIO` of Linux.
  fileprivate static let remoteInputOutput = Errno(rawValue: 121)
  /// `EKEYEXPIRED` of Linux.
  fileprivate static let keyHasExpired = Errno(rawValue: 127)
}
