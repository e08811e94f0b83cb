#if HTTP

  import Foundation
  import RangeIOSupport

  /// nginx, Apache or moto, started for a test with a configuration and a folder of its own, on a free port of
  /// 127.0.0.1.
  ///
  /// ```swift
  /// guard RealServer.Kind.nginx.isUsable else { return }
  /// try await RealServer.with(.nginx) { server in
  ///   try server.write(bytes, to: "object")
  ///   // read server.url("/object")
  /// }
  /// ```
  public final class RealServer: Sendable {
    /// Which program.
    public enum Kind: String, CaseIterable, Sendable {
      /// Debian's package nginx.
      case nginx
      /// Debian's package apache2.
      case apache = "apache2"
      /// `moto[server]` of PyPI: S3 in memory.
      case moto = "moto_server"
    }

    /// Why a server does not start.
    public struct Failure: Error, CustomStringConvertible {
      /// What happened, with the end of the server's log.
      public let description: String
    }

    /// Which program it is.
    public let kind: Kind
    /// The port.
    public let port: Int
    /// The folder with everything: configuration, logs, and the files in `root`.
    private let directory: String
    private let command: [String]
    private let running = Guarded<ServerProcess?>(nil)

    private init(_ kind: Kind, _ program: String) throws {
      self.kind = kind
      port = try FreePort.find()
      directory = try Self.makeDirectory()
      try FileManager.default.createDirectory(atPath: directory + "/root", withIntermediateDirectories: true)
      command = try kind.prepare(program, directory, port)
    }

    deinit {
      // `try?`: what stays behind is the system's to clean.
      try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts a server and waits until it answers. Call ``stop()`` in the end.
    public static func start(_ kind: Kind) async throws -> RealServer {
      guard let program = kind.program else { throw Failure(description: kind.reasonForSkipping) }
      var failure: any Error = Failure(description: "not started")
      // Another process may take the port before the server does.
      for _ in 0..<3 {
        do {
          let server = try RealServer(kind, program)
          try await server.launch()
          return server
        } catch {
          failure = error
        }
      }
      throw failure
    }

    /// Starts a server, runs `body`, and stops the server.
    public static func with<Result>(_ kind: Kind, _ body: (RealServer) async throws -> Result) async throws -> Result {
      let server = try await start(kind)
      do {
        let result = try await body(server)
        await server.stop()
        return result
      } catch {
        await server.stop()
        throw error
      }
    }

    /// The URL of a path, which begins with a slash.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The path of a file that is served under `name`.
    public func path(_ name: String) -> String { directory + "/root/" + name }

    /// Puts a file under `name`, in place of what is there, by a rename: a request sees the old file or the new one.
    ///
    /// - Parameter modified: its time, in seconds since 1970. nginx makes tags of seconds and sizes, so that two
    /// versions   of one second and size look alike.
    public func replace(_ name: String, with bytes: [UInt8], modified: Int? = nil) throws {
      let temporary = directory + "/replacement"
      try Data(bytes).write(to: URL(fileURLWithPath: temporary))
      // The server may run as another user.
      var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
      if let modified { attributes[.modificationDate] = Date(timeIntervalSince1970: TimeInterval(modified)) }
      try FileManager.default.setAttributes(attributes, ofItemAtPath: temporary)
      guard rename(temporary, path(name)) == 0 else { throw Failure(description: "cannot rename to \(path(name))") }
    }

    /// Ends the server and starts it again, at the same port, and waits until it answers.
    public func restart() async throws {
      await stop()
      try await launch()
    }

    /// Ends the server and waits for its end.
    public func stop() async {
      let process = running.withLock { running in
        defer { running = nil }
        return running
      }
      await process?.stop()
    }

    /// The lines of the access log, of nginx.
    public func accessLog() throws -> [String] {
      try String(contentsOfFile: directory + "/access.log", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func launch() async throws {
      let process = try ServerProcess(command, directory: directory, log: directory + "/server.log")
      running.withLock { $0 = process }
      // No event tells that another process listens. Python takes seconds to begin.
      for _ in 0..<6000 {
        if try FreePort.accepts(port) { return }
        try await Task.sleep(for: .milliseconds(5))
      }
      await stop()
      // `try?`: without a log the port has to do.
      let log = (try? String(contentsOfFile: directory + "/server.log", encoding: .utf8)) ?? ""
      throw Failure(description: "\(kind.rawValue) does not answer at port \(port): \(log.suffix(2000))")
    }

    private static func makeDirectory() throws -> String {
      var template = Array((NSTemporaryDirectory() + "/rangeio-server-XXXXXX").utf8CString)
      guard let made = mkdtemp(&template), let real = realpath(made, nil) else { throw POSIXError(.EIO) }
      defer { free(real) }
      // The server may run as another user.
      chmod(real, 0o755)
      return String(cString: real)
    }
  }

#endif
