#if HTTP

  import Foundation

  /// A server in a process of its own, that ends with this process at the latest.
  final class ServerProcess: Sendable {
    /// Its write end stays open for as long as the server shall run.
    private let lifeline: FileHandle
    private let ended = AwaitedNumber()

    /// Starts `command`, with what it says in the file `log`.
    init(_ command: [String], directory: String, log: String) throws {
      // The shell waits for the end of the lifeline, which comes also when the tests crash, and ends the server then.
      let guarding = "\"$@\" & server=$!; read -r line; kill -TERM $server 2>/dev/null; wait $server"
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", guarding, "sh"] + command
      process.currentDirectoryURL = URL(fileURLWithPath: directory)
      let pipe = Pipe()
      lifeline = pipe.fileHandleForWriting
      process.standardInput = pipe
      if !FileManager.default.fileExists(atPath: log) {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
      }
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
      try output.seekToEnd()
      process.standardOutput = output
      process.standardError = output
      process.terminationHandler = { [ended] _ in ended.add() }
      try Self.withoutBlockedSignals { try process.run() }
    }

    /// Ends the server and waits for its end.
    func stop() async {
      // `try?`: it was closed before.
      try? lifeline.close()
      await ended.reaches(1)
    }

    // `try?`: as in `stop`. The shell does the rest.
    deinit { try? lifeline.close() }

    /// Threads of Dispatch block signals, and a process inherits that: it would not end when it is told to.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
      var (none, before) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try body()
    }
  }

#endif
