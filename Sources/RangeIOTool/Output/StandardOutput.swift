#if Tool
import RangeIO
import Synchronization
import SystemPackage

/// The program's output. A reader that closes the pipe is no failure.
struct StandardOutput {
  private let writer = DescriptorWriter(descriptor: STDOUT_FILENO)

  func write(_ piece: Bytes) throws {
    try translatingErrors { () throws(Errno) in try writer.write(piece) }
  }

  /// Writes `count` zeros: as a hole, if this is a file that ends here.
  func writeZeros(_ count: Int) throws {
    try translatingErrors { () throws(Errno) in try writer.writeZeros(count) }
  }

  /// Writes a line of the tool's own text.
  func line(_ text: String) throws {
    var text = text + "\n"
    try text.withUTF8 { buffer in
      try translatingErrors { () throws(Errno) in try writer.write(UnsafeRawBufferPointer(buffer)) }
    }
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private func translatingErrors(_ write: () throws(Errno) -> Void) throws {
    do {
      try OutputWait.during(write)
    } catch .brokenPipe {
      throw BrokenPipe()
    } catch {
      throw ToolFailure.writing(to: "standard output", error)
    }
  }
}

/// Counts the writes that wait for the reader of the tool's output, or for its disk.
enum OutputWait {
  private static let writes = Atomic<Int>(0)

  static var isGoingOn: Bool { writes.load(ordering: .relaxed) > 0 }

  static func during<Failure: Error>(_ write: () throws(Failure) -> Void) throws(Failure) {
    writes.add(1, ordering: .relaxed)
    defer { writes.subtract(1, ordering: .relaxed) }
    try write()
  }
}

/// Where errors and progress go.
enum StandardError {
  private static let isQuiet = Atomic(false)

  /// `--quiet`: from now on only errors are written.
  static func beQuiet() { isQuiet.store(true, ordering: .relaxed) }

  /// `true` for a terminal, unless the user wants quiet.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && !isQuiet.load(ordering: .relaxed) }

  /// The width of the terminal in characters. 80 if it is unknown.
  static var columns: Int {
    var size = winsize()
    let result = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  static func line(_ text: String) { write(text + "\n") }

  /// Writes a line that tells how it goes, unless the user wants quiet.
  static func note(_ text: String) { if !isQuiet.load(ordering: .relaxed) { line(text) } }

  /// Writes such a line in place of a line of progress, unless that would have to wait.
  static func noteAtOnce(_ text: String) {
    var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&request, 1, 0) == 1 { note((showsProgress ? "\r\u{1B}[K" : "") + text) }
  }

  static func write(_ text: String) {
    var text = text
    text.withUTF8 { buffer in
      // If this fails too, there is nowhere left to report it.
      do { try DescriptorWriter(descriptor: STDERR_FILENO).write(UnsafeRawBufferPointer(buffer)) } catch {}
    }
  }
}

extension ToolFailure {
  /// The failure to write to `name`.
  static func writing(to name: String, _ error: Errno) -> ToolFailure {
    let advice =
      switch error {
      case .noSpace, .diskQuotaExceeded: "; free some space, or write elsewhere"
      case .fileTooLarge: "; raise the limit (ulimit -f), or write elsewhere"
      case .noSuchFileOrDirectory: "; make its directory first"
      case .permissionDenied: "; write elsewhere, or have the directory's owner permit it"
      case .readOnlyFileSystem: "; it is mounted read-only: write elsewhere"
      default: ""
      }
    return ToolFailure("cannot write to \(name): \(error.description.lowercased())\(advice)")
  }
}
#endif
