#if Tool
import Dispatch
import Foundation
import SystemPackage

/// The built tool, started as a process.
///
/// Spawned by hand, since what is tested is what a shell would do: signals at their defaults, descriptors of our choice.
struct ToolProcess {
  let id: pid_t

  /// The tool, beside the test bundle that this code is in.
  static let path: String = {
    var directory = testBundle
    while directory.path != "/" {
      directory.deleteLastPathComponent()
      let candidate = directory.appendingPathComponent("rangeio").path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    return "rangeio"
  }()

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

  /// Starts `program` with descriptors for standard output and standard error.
  ///
  /// - Parameter passed: descriptors that the program has from 3 on.
  init(
    _ arguments: [String], program: String = path, output: CInt, errors: CInt, passing passed: [CInt] = []
  ) throws {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Copies far above those that are written to meanwhile.
    let copies = passed.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    defer { for copy in copies { close(copy) } }
    for (index, copy) in copies.enumerated() { posix_spawn_file_actions_adddup2(&actions, copy, CInt(3 + index)) }
    // The test runner may itself run in the background, where SIGINT is ignored, and threads of it block signals.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, program, &actions, &attributes, words, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    self.id = id
  }

  func send(_ signal: CInt) { kill(id, signal) }

  /// Waits for the end.
  ///
  /// - Returns: the exit code, or 1000 and the signal that ended the process.
  func wait() async throws -> Int {
    let id = id
    return try await blocking {
      var status: CInt = 0
      while waitpid(id, &status, 0) < 0 {
        guard errno == EINTR else { throw Errno(rawValue: errno) }
      }
      let signal = status & 0x7F
      return signal == 0 ? Int(status >> 8 & 0xFF) : 1000 + Int(signal)
    }
  }

  /// Whether it has ended. ``wait()`` still tells how.
  var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_signo != 0
  }

  /// The most memory it has had resident so far, in bytes; nil where the system does not tell of a running process.
  ///
  /// Not `wait4`: on Linux its figure starts with that of the process which spawned this one.
  var peakMemory: Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
  }
}

/// How the tool ended, and what it said.
struct ToolResult {
  var code: Int
  var output: [UInt8]
  var errors: String

  /// Standard error is one line that begins with the name of the tool.
  var hasOneLineOfErrors: Bool {
    errors.hasPrefix("rangeio: ") && errors.hasSuffix("\n") && errors.count { $0 == "\n" } == 1
  }
}

/// Runs the tool to its end, with the engine that the environment asks for.
func tool(_ arguments: String...) async throws -> ToolResult { try await tool(arguments) }

func tool(_ arguments: [String], program: String = ToolProcess.path) async throws -> ToolResult {
  let directory = try TemporaryDirectory()
  let output = try FileDescriptor.open(
    directory("out"), .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
  let errors = try FileDescriptor.open(
    directory("err"), .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
  let process = try ToolProcess(
    withEngine(arguments), program: program, output: output.rawValue, errors: errors.rawValue)
  try output.close()
  try errors.close()
  let code = try await process.wait()
  return ToolResult(
    code: code, output: try contents(directory("out")),
    errors: String(decoding: try contents(directory("err")), as: UTF8.self))
}

func withEngine(_ arguments: [String]) -> [String] {
  guard let engine = Environment.engine, let command = arguments.first, ["read", "cat", "demo"].contains(command),
    !arguments.contains("--engine"), !arguments.contains(where: { $0.contains("://") })
  else { return arguments }
  return arguments + ["--engine", engine]
}

/// Runs `body`, which blocks, on a thread that no other test needs.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
#endif
