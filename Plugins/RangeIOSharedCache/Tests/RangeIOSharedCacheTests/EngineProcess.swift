#if SharedCache
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO

  @testable import RangeIOSharedCache

  /// memcached or Redis at a unix socket, in a process that ends with this one at the latest.
  final class EngineProcess: Sendable {
    enum Kind: String, CaseIterable, Sendable {
      case memcached
      case redis = "redis-server"

      /// Whether the program is on this machine.
      var isInstalled: Bool {
        ProcessInfo.processInfo.environment["RANGEIO_SERVERS"] == "required"
          || (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(rawValue)")
          }
      }
    }

    struct Failure: Error {
      let text: String
    }

    let kind: Kind
    let socket: String
    private let directory: String
    private let lifeline: FileHandle
    private let process: Process

    /// Starts one, and waits until it takes connections.
    static func start(_ kind: Kind, in directory: String? = nil, password: String? = nil) async throws -> EngineProcess
    {
      let engine = try EngineProcess(kind, directory, password)
      // No event tells that another process listens.
      for _ in 0..<2000 {
        do {
          let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: engine.socket).get()
          // `try?`: it may be closed already.
          try? await channel.close()
          return engine
        } catch { try await Task.sleep(for: .milliseconds(5)) }
      }
      throw Failure(text: "\(kind.rawValue) does not answer")
    }

    private init(_ kind: Kind, _ directory: String?, _ password: String?) throws {
      self.kind = kind
      if let directory {
        self.directory = directory
      } else {
        var template = Array("/tmp/rangeio-engine-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
        self.directory = String(cString: made)
      }
      socket = self.directory + "/socket"
      // `try?`: none is left of an earlier one.
      try? FileManager.default.removeItem(atPath: socket)
      var command: [String]
      switch kind {
      case .memcached:
        command = ["memcached", "-u", "root", "-s", socket, "-a", "0700", "-m", "256"]
        if let password {
          try "user:\(password)\n".write(toFile: self.directory + "/auth", atomically: true, encoding: .utf8)
          command += ["-Y", self.directory + "/auth"]
        }
      case .redis:
        command = ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", self.directory]
        if let password { command += ["--requirepass", password] }
      }
      // The shell waits for the end of the lifeline, which comes also when the tests crash, and ends the engine then.
      let guarding = "\"$@\" & echo $! > \(self.directory)/pid; read -r line; kill -KILL $!"
      process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", guarding, "sh"] + command
      let pipe = Pipe()
      lifeline = pipe.fileHandleForWriting
      process.standardInput = pipe
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    private var pid: pid_t {
      get throws {
        let text = try String(contentsOfFile: directory + "/pid", encoding: .utf8)
        guard let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw POSIXError(.ESRCH) }
        return number
      }
    }

    var node: SharedCacheNode { .socket(socket, name: "engine") }

    func send(_ signal: Int32) throws { kill(try pid, signal) }

    /// Ends it. Its socket stays free for another one.
    func end() throws {
      try send(SIGKILL)
      // `try?`: the shell is told, if it still waits.
      try? lifeline.close()
    }

    /// Starts another one at the same place.
    func restarted() async throws -> EngineProcess {
      try end()
      return try await EngineProcess.start(kind, in: directory)
    }

    deinit {
      // `try?`: it may have ended.
      try? lifeline.close()
    }

    func store(_ change: (inout SharedCacheConnection) -> Void = { _ in }) throws -> any SharedBlockStore {
      var connection = SharedCacheConnection()
      change(&connection)
      switch kind {
      case .memcached: return try MemcachedStore([node], connection: connection)
      case .redis: return try RedisStore([node], connection: connection)
      }
    }
  }
#endif
