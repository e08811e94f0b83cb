#if HTTP

  import Foundation

  extension RealServer.Kind {
    /// Whether the environment demands the servers: `RANGEIO_SERVERS=required`, as in CI.
    public static var areRequired: Bool { ProcessInfo.processInfo.environment["RANGEIO_SERVERS"] == "required" }

    /// Whether a test can use it. Where it cannot be had, says so in a line; where it is required, says yes, so that
    /// the test fails.
    public var isUsable: Bool {
      if program != nil || Self.areRequired { return true }
      print("skipped: \(reasonForSkipping)")
      return false
    }

    /// What is missing, and how to get it.
    public var reasonForSkipping: String {
      switch self {
      case .nginx: "nginx is not installed (apt-get install nginx)"
      case .apache: "apache2 is not installed (apt-get install apache2)"
      case .moto: "moto_server is not installed (pip install 'moto[server]')"
      }
    }

    /// The path of the program, if it is installed.
    var program: String? {
      let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin"
      return search.split(separator: ":").map { "\($0)/\(rawValue)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Writes the configuration.
    ///
    /// - Returns: the command that starts the server, which stays in the foreground.
    func prepare(_ program: String, _ directory: String, _ port: Int) throws -> [String] {
      switch self {
      case .nginx:
        try nginx(directory, port).write(toFile: directory + "/nginx.conf", atomically: true, encoding: .utf8)
        return [program, "-p", directory, "-c", directory + "/nginx.conf", "-e", directory + "/error.log"]
      case .apache:
        try apache(directory, port).write(toFile: directory + "/apache.conf", atomically: true, encoding: .utf8)
        return [program, "-D", "FOREGROUND", "-d", directory, "-f", directory + "/apache.conf"]
      case .moto:
        return [program, "-H", "127.0.0.1", "-p", "\(port)"]
      }
    }

    private func nginx(_ directory: String, _ port: Int) -> String {
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "  \($0)_temp_path \(directory)/\($0);"
      }
      return """
        daemon off;
        master_process off;
        pid \(directory)/nginx.pid;
        events { worker_connections 1024; }
        http {
        \(temporary.joined(separator: "\n"))
          access_log \(directory)/access.log;
          default_type application/octet-stream;
          server { listen 127.0.0.1:\(port); root \(directory)/root; }
        }
        """
    }

    private func apache(_ directory: String, _ port: Int) -> String {
      // `apache2` as root changes to another user, and refuses to stay root.
      let user = geteuid() == 0 ? "User #65534\nGroup #65534" : ""
      let modules = ["mpm_event", "authz_core"].map { "LoadModule \($0)_module \(modulesDirectory)/mod_\($0).so" }
      return """
        ServerName 127.0.0.1
        Listen 127.0.0.1:\(port)
        PidFile \(directory)/apache.pid
        ErrorLog \(directory)/error.log
        DefaultRuntimeDir \(directory)
        \(user)
        \(modules.joined(separator: "\n"))
        DocumentRoot \(directory)/root
        FileETag INode MTime Size
        """
    }

    private var modulesDirectory: String {
      ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
        .first { FileManager.default.fileExists(atPath: $0) } ?? "/usr/lib/apache2/modules"
    }
  }

#endif
