import Foundation

@testable import RangeIO

/// A program that was built together with the tests.
struct BuiltProgram {
  let path: String

  /// Beside the test bundle that this code is in.
  init(_ name: String) {
    var directory = Self.testBundle
    var path = name
    while directory.path != "/" {
      directory.deleteLastPathComponent()
      let candidate = directory.appendingPathComponent(name).path
      if FileManager.default.isExecutableFile(atPath: candidate) {
        path = candidate
        break
      }
    }
    self.path = path
  }

  private static var testBundle: URL {
    #if os(Linux)
      // The bundle is the program that runs.
      return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      var info = Dl_info()
      guard dladdr(#dsohandle, &info) != 0, let name = info.dli_fname else { return URL(fileURLWithPath: "/") }
      return URL(fileURLWithPath: String(cString: name))
    #endif
  }

  /// Starts it. What it says is added to the file `output`.
  func start(_ arguments: [String], output: String) throws -> Process {
    if !FileManager.default.fileExists(atPath: output) {
      _ = FileManager.default.createFile(atPath: output, contents: nil)
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    try file.seekToEnd()
    return try start(arguments, output: file)
  }

  /// Starts it, with a file or a pipe as its standard output.
  private func start(_ arguments: [String], output: Any) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    try process.run()
    return process
  }

  /// Runs it to its end. What it says is added to the file `output`, and once it has said more than `limit` bytes it is
  /// killed.
  ///
  /// - Returns: as `Process.end()`.
  func run(_ arguments: [String], output: String, killedAfter limit: Int) async throws -> Int {
    let pipe = Pipe()
    let process = try start(arguments, output: pipe)
    let heard = Promise<Void>()
    Thread.detachNewThread {
      heard.resolve(
        Result {
          var said: [UInt8] = []
          while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
            said += data
            if said.count > limit { kill(process.processIdentifier, SIGKILL) }
          }
          try write(said, to: output, at: Self.size(of: output), truncating: false)
        })
    }
    try await heard.value()
    return try await process.end()
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

extension Process {
  /// Waits for its end, on no thread that others need.
  ///
  /// - Returns: the exit code, or 1000 and the signal that ended it.
  func end() async throws -> Int {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.waitUntilExit()
        continuation.resume()
      }
    }
    return Int(terminationStatus) + (terminationReason == .uncaughtSignal ? 1000 : 0)
  }
}
