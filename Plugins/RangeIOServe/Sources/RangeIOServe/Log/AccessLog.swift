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
      /// Lines that could not be written since that was told.
      var failedLines = 0
    }

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
    /// All is written.
    private let written = Notifier()

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
        let (file, bytes, lost) = state.withLock { state -> (File, [UInt8], Int) in
          let bytes = state.pending
          state.pending = []
          state.isWriting = !bytes.isEmpty
          // Within the lock: who waits for lines that come later must not hear of this.
          if bytes.isEmpty { written.notify() }
          defer { state.lostLines = 0 }
          return (state.file, bytes, state.lostLines)
        }
        if lost > 0 { onFault("\(lost) lines of the access log are lost: \(path) takes them too slowly") }
        guard !bytes.isEmpty else { return }
        let lines = bytes.count { $0 == UInt8(ascii: "\n") }
        var failure: (any Error)?
        do { try file.descriptor.writeAll(bytes) } catch { failure = error }
        // Told once: a full disk may be that of the standard error too, and each answer would add to it.
        let isWritten = failure == nil
        let failedBefore = state.withLock { state in
          defer { state.failedLines = isWritten ? 0 : state.failedLines + lines }
          return state.failedLines
        }
        if let failure, failedBefore == 0 {
          let what = "\(lines) lines of the access log are lost, and those that follow"
          onFault("\(what): cannot write to \(path): \(failure)")
        } else if isWritten, failedBefore > 0 {
          onFault("the access log goes on: \(failedBefore) lines could not be written to \(path)")
        }
      }
    }

    /// Returns when all lines are written, also in a cancelled task. Gives up after `limit`, and says so: what reads a pipe may have
    /// stopped, or a disk hang, and a server must be able to end nevertheless.
    package func flush(within limit: Duration = .seconds(5)) async {
      let end = written.listen()
      defer { written.leave(end) }
      guard state.withLock({ $0.isWriting }) else { return }
      // A task of its own is not cancelled with the one that waits.
      let isWritten = await Task {
        await withTaskGroup(of: Bool.self) { group in
          // `try?`: cancelled when the other one has ended.
          group.addTask { (try? await end.value()) != nil }
          group.addTask {
            try? await Task.sleep(for: limit)
            return false
          }
          defer { group.cancelAll() }
          return await group.next() ?? false
        }
      }.value
      if !isWritten { onFault("the last lines of the access log are lost: \(path) takes nothing") }
    }
  }
#endif
