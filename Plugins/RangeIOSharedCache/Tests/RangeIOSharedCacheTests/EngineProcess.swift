#if SharedCache
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO

  @testable import RangeIOSharedCache

  /// memcached or Redis at a unix socket, or with TLS at a port, in a process that ends with this one at the latest.
  final class EngineProcess: Sendable {
    enum Kind: String, CaseIterable, Sendable {
      case memcached
      case redis = "redis-server"

      /// The program is in `PATH`, or `RANGEIO_SERVERS=required` demands it.
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
    /// With TLS only: of localhost.
    let port: Int?
    private let directory: String
    private let lifeline: FileHandle
    private let process: Process

    /// Starts one, and waits until it takes connections.
    static func start(
      _ kind: Kind, in directory: String? = nil, password: String? = nil, certificate: EngineCertificate? = nil,
      options: [String] = []
    ) async throws -> EngineProcess {
      var tls: (EngineCertificate, port: Int)?
      if let certificate { tls = (certificate, try await freePort()) }
      let engine = try EngineProcess(kind, directory, password, tls, options)
      // No event tells that another process listens.
      for _ in 0..<2000 {
        do {
          let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          let channel =
            if let port = engine.port {
              try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            } else {
              try await bootstrap.connect(unixDomainSocketPath: engine.socket).get()
            }
          // `try?`: it may be closed already.
          try? await channel.close()
          return engine
        } catch { try await Task.sleep(for: .milliseconds(5)) }
      }
      throw Failure(text: "\(kind.rawValue) does not answer")
    }

    private static func freePort() async throws -> Int {
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 0).get()
      let port = channel.localAddress?.port
      try await channel.close()
      guard let port else { throw Failure(text: "there is no free port") }
      return port
    }

    private init(
      _ kind: Kind, _ directory: String?, _ password: String?, _ tls: (EngineCertificate, port: Int)?,
      _ options: [String]
    ) throws {
      self.kind = kind
      port = tls?.port
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
        command = ["memcached", "-u", "root", "-m", "256"]
        if let (certificate, port) = tls {
          let files = try certificate.write(to: self.directory)
          command += ["-l", "127.0.0.1", "-p", "\(port)", "-Z"]
          command += ["-o", "ssl_chain_cert=\(files.certificate),ssl_key=\(files.key)"]
        } else {
          command += ["-s", socket, "-a", "0700"]
        }
        if let password {
          try "user:\(password)\n".write(toFile: self.directory + "/auth", atomically: true, encoding: .utf8)
          command += ["-Y", self.directory + "/auth"]
        }
      case .redis:
        command = ["redis-server", "--port", "0", "--save", "", "--dir", self.directory]
        if let (certificate, port) = tls {
          let files = try certificate.write(to: self.directory)
          command += ["--bind", "127.0.0.1", "--tls-port", "\(port)", "--tls-auth-clients", "no"]
          command += ["--tls-cert-file", files.certificate, "--tls-key-file", files.key]
        } else {
          command += ["--unixsocket", socket]
        }
        if let password { command += ["--requirepass", password] }
      }
      command += options
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

    var node: SharedCacheNode {
      port.map { .host("localhost", port: $0, name: "engine") } ?? .socket(socket, name: "engine")
    }

    /// The file with the certificate that it shows, with TLS.
    var certificate: String { directory + "/certificate.pem" }

    func send(_ signal: Int32) throws { kill(try pid, signal) }

    /// Changes a setting of Redis.
    func configure(_ name: String, _ setting: String) async throws {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(unixDomainSocketPath: socket) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: "CONFIG SET \(name) \(setting)\r\n"))
        for try await answer in inbound {
          guard String(buffer: answer) == "+OK\r\n" else { throw Failure(text: String(buffer: answer)) }
          break
        }
      }
    }

    /// Stops it as SIGSTOP does, and waits until none of its threads answers any more.
    func stop() async throws {
      try send(SIGSTOP)
      #if os(Linux)
        // It is no child of this process, so nothing but a look tells.
        let tasks = "/proc/\(try pid)/task"
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
          while try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8).contains(") T ") == false {
            await Task.yield()
          }
        }
      #endif
    }

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

    func store(
      at node: SharedCacheNode? = nil, _ change: (inout SharedCacheConnection) -> Void = { _ in }
    ) throws -> SharedCacheNodes {
      let node = node ?? self.node
      var connection = SharedCacheConnection()
      change(&connection)
      return try SharedCacheNodes(kind == .memcached ? .memcached : .redis, [node], connection: connection)
    }
  }
#endif
