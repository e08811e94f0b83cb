#if Serve
  internal import RangeIO
  internal import SystemPackage

  /// A file with a line for each answer of a server.
  ///
  /// Answers do not wait for the disk: lines that it has not taken yet are kept, 1 MiB at most, and those that come while there is no
  /// room are lost and counted.
  public final class AccessLog: Sendable {
    /// How a line is written.
    @nonexhaustive
    public enum Format: String, Sendable, CaseIterable {
      /// The combined format of Apache and nginx, and the seconds that the answer took.
      case combined
      /// An object of JSON.
      case json
    }

    private struct State {
      var file: File
      var pending: [UInt8] = []
      var isWriting = false
      var lostLines = 0
      /// Those who wait until all is written.
      var waiters: [Waiter] = []
    }
    private typealias Waiter = CheckedContinuation<Void, Never>

    /// A descriptor that is closed with its last use.
    private final class File: Sendable {
      let descriptor: FileDescriptor
      private let isOurs: Bool

      init(_ descriptor: FileDescriptor, isOurs: Bool) { (self.descriptor, self.isOurs) = (descriptor, isOurs) }

      // `try?`: all lines are written by now, or their loss was told; what fails in closing changes neither.
      deinit { if isOurs { try? descriptor.close() } }
    }

    private static let maxPending = 1 << 20

    private let path: String
    private let format: Format
    private let onFault: @Sendable (String) -> Void
    private let state: Locked<State>

    /// Opens the log.
    ///
    /// - Parameters:
    ///   - path: lines are added to the file there, which is made if there is none; `-` is the standard output.
    ///   - format: what a line has.
    ///   - onFault: told in words that lines were lost, and why. On any thread.
    /// - Throws: `ReadError` if it cannot be opened.
    public init(
      _ path: String, format: Format = .combined, onFault: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
      (self.path, self.format, self.onFault) = (path, format, onFault)
      state = Locked(State(file: try Self.open(path)))
    }

    private static func open(_ path: String) throws -> File {
      if path == "-" { return File(.standardOutput, isOurs: false) }
      do {
        let options: FileDescriptor.OpenOptions = [.append, .create, .closeOnExec]
        return File(
          try .open(FilePath(path), .writeOnly, options: options, permissions: FilePermissions(rawValue: 0o640)),
          isOurs: true)
      } catch let error as Errno {
        throw ReadError.errno(error, "open the access log", source: path)
      }
    }

    /// Goes on in the file that is at the path now: after the present one was moved away, as `logrotate` does.
    ///
    /// - Throws: `ReadError` if it cannot be opened. The log goes on in the file before.
    public func reopen() throws {
      let file = try Self.open(path)
      let before = state.withLock { state in
        defer { state.file = file }
        return state.file
      }
      withExtendedLifetime(before) {}
    }

    package func add(_ record: AccessRecord) {
      let line = Array((format == .json ? record.json : record.combined).utf8)
      let begins = state.withLock { state in
        guard state.pending.count + line.count <= Self.maxPending else {
          state.lostLines += 1
          return false
        }
        state.pending += line
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if begins { IOThreads.forWork.submit(IOJob { self.write() }) }
    }

    /// Writes until there is nothing more.
    private func write() {
      while true {
        let (file, bytes, lost, waiters) = state.withLock { state -> (File, [UInt8], Int, [Waiter]) in
          let bytes = state.pending
          state.pending = []
          defer { state.lostLines = 0 }
          guard bytes.isEmpty else { return (state.file, bytes, state.lostLines, []) }
          state.isWriting = false
          defer { state.waiters = [] }
          return (state.file, bytes, state.lostLines, state.waiters)
        }
        if lost > 0 { onFault("\(lost) lines of the access log are lost: \(path) takes them too slowly") }
        guard !bytes.isEmpty else {
          for waiter in waiters { waiter.resume() }
          return
        }
        do { try file.descriptor.writeAll(bytes) } catch {
          let lines = bytes.count { $0 == UInt8(ascii: "\n") }
          onFault("\(lines) lines of the access log are lost: cannot write to \(path): \(error)")
        }
      }
    }

    /// Returns when all lines are written.
    package func flush() async {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if state.isWriting { state.waiters.append(continuation) }
          return !state.isWriting
        }
        if isIdle { continuation.resume() }
      }
    }
  }
#endif
