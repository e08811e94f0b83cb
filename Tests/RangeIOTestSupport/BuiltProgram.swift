import Foundation

#if canImport(Darwin)
  import Darwin
#endif

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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = file
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    try process.run()
    return process
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
