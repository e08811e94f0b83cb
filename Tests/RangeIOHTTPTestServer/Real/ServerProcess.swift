#if HTTP

  import Foundation

  /// A server in a process of its own, that ends with this process at the latest.
  final class ServerProcess: @unchecked Sendable {
    // Unchecked: `Process` and `Pipe` are used under the lock.
    private let lock = NSLock()
    private let process = Process()
    /// Its write end stays open for as long as the server shall run.
    private let lifeline = Pipe()

    /// Starts `command`, with what it says in the file `log`.
    init(_ command: [String], directory: String, log: String) throws {
      // The shell waits for the end of the lifeline, which comes also when the tests crash, and ends the server then.
      let guarding = "\"$@\" & server=$!; read -r line; kill -TERM $server 2>/dev/null; wait $server"
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", guarding, "sh"] + command
      process.currentDirectoryURL = URL(fileURLWithPath: directory)
      process.standardInput = lifeline
      if !FileManager.default.fileExists(atPath: log) {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
      }
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
      try output.seekToEnd()
      process.standardOutput = output
      process.standardError = output
      try process.run()
    }

    /// Ends the server and waits for it, on no thread that others need.
    func stop() async {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          self.end()
          continuation.resume()
        }
      }
    }

    private func end() {
      lock.lock()
      defer { lock.unlock() }
      // `try?`: it was closed before.
      try? lifeline.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    // `try?`: as in `end`. The shell does the rest.
    deinit { try? lifeline.fileHandleForWriting.close() }
  }

#endif
