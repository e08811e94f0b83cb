#if Tool && Serve
import ArgumentParser
import CRangeIOSystem
import Logging
import RangeIO
import RangeIOServe

/// `rangeio serve`: shows files and objects to everything that speaks HTTP.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve directories, files and URLs over HTTP, with ranges and caches.",
    discussion: """
      One directory, or one URL that ends in a slash, is served at /. Of several sources each has its last name: \
      'serve /data https://host/maps/' serves /data/… and /maps/…; a name that is there already gets a number. URLs are read through memory, compressed memory \
      and, with --spill, a disk; files through the page cache, or with --far like URLs. /-/stats and /-/explain tell \
      this machine what is cached. Ctrl-C lets answers end; a second one does not.
      """)

  @Argument(help: "Directories, files and URLs.", completion: .file())
  var sources: [String]
  @Option(
    help: ArgumentHelp(
      "The address and port, unix:PATH, or systemd. ':8080' and '*:8080': all addresses. Port 0: any that is free. systemd: the sockets of a socket unit.",
      valueName: "address:port"))
  var listen = "127.0.0.1:8080"
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A name of this server in the Host of requests, besides localhost and addresses; may be repeated. '*': any.",
      valueName: "name"))
  var host: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An origin whose pages may read (CORS); may be repeated. '*': any.", valueName: "origin"))
  var cors: [String] = []
  @Option(help: ArgumentHelp("Who may ask /-/stats and /-/explain: local, everyone, nobody.", valueName: "who"))
  var administration = ServeAdministration.local
  @Option(
    help: ArgumentHelp(
      "The memory for cached bytes (default: 256MiB, or a quarter of what the process may use).", valueName: "bytes"))
  var memory: String?
  @Option(help: ArgumentHelp("How much of it holds compressed bytes at most (default: half).", valueName: "bytes"))
  var compressed: String?
  @Option(help: ArgumentHelp("A directory for cached bytes that stay.", valueName: "directory"))
  var spill: String?
  @Option(help: ArgumentHelp("The most bytes in that directory.", valueName: "bytes"))
  var spillLimit = "10GiB"
  @Flag(help: "Do not start without the disk of --spill. Default: report a directory that cannot be used, and go on.")
  var requireDisk = false
  @Option(
    help: ArgumentHelp(
      "Nodes that several servers share: memcached://HOST:PORT,… or redis://HOST:PORT,…", valueName: "nodes"))
  var shared: String?
  @Option(help: ArgumentHelp("How long an object behind a URL is served without asking again.", valueName: "seconds"))
  var revalidate = 1.0
  @Option(help: ArgumentHelp("The most time for a read from a URL.", valueName: "seconds"))
  var timeLimit = 60.0
  @Flag(help: "Send up to one request in twenty to a URL a second time when its answer is late.")
  var hedge = false
  @Flag(help: "Cache files as if they were far away, such as on a network drive.")
  var far = false
  @Flag(help: "Files only grow: an answer has the size of its beginning, and is not cut off when the file grows.")
  var growing = false
  @Flag(help: "Report each answer on standard error.")
  var verbose = false
  @OptionGroup var answers: ServeAnswerOptions
  @OptionGroup var access: ServeAccessOptions
  @OptionGroup var log: ServeLogOptions
  @OptionGroup var remote: RemoteOptions

  func run() async throws {
    guard revalidate >= 0, revalidate < 1e6, timeLimit > 0, timeLimit < 1e6 else {
      throw ToolFailure.usage(
        "--revalidate and --time-limit: write seconds, not negative, more than 0 for a limit, and less than a million"
      )
    }
    // A connection is a descriptor.
    rio_raise_descriptor_limit()
    let store = try await ServeStore(self)
    do {
      try await serve(store)
    } catch {
      try await store.close()
      throw error
    }
    try await store.close()
    // The second signal cut off what the first one let end.
    if Interrupts.shared.exitCode != nil { throw CancellationError() }
  }

  private func serve(_ store: ServeStore) async throws {
    let upstreams = try ServeUpstreams(self, store)
    var configuration = RangeServer.Configuration()
    configuration.address = try Self.address(listen)
    configuration.hostNames = host
    configuration.allowedOrigins = try cors.map(Self.origin)
    configuration.administration = administration.choice
    try answers.apply(to: &configuration)
    configuration.accessLog = try log.open()
    try access.apply(to: &configuration)
    Self.reloadOnHangup(configuration)
    var logger = Logger(label: "rangeio") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .info : .warning
    let server = RangeServer(
      upstreams.upstreams, configuration: configuration, statistics: { store.statistics }, logger: logger)
    Interrupts.shared.onFirst {
      ServiceManager.tell(.stopping)
      server.stop()
    }
    let (address, count) = (configuration.address, sources.count)
    let scheme = configuration.certificate == nil ? "http" : "https"
    do {
      try await server.run { port in
        let places = Self.places(address, port, scheme).joined(separator: " ")
        StandardError.line("rangeio: serving \(count == 1 ? "1 source" : "\(count) sources") at \(places)")
        ServiceManager.tell(.ready)
        for line in upstreams.numbered { StandardError.line("rangeio: \(line)") }
        // Requests do not tell: they are answered from the sources.
        Task {
          for fault in await store.faultsOfNodes() {
            StandardError.line("rangeio: a node of --shared: \(fault)")
          }
        }
      }
    } catch let error as ReadError {
      throw ToolFailure(error.message)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw ToolFailure("cannot listen at \(listen): \(error)")
    }
  }

  /// Where the server is, as clients write it.
  private static func places(_ address: RangeServer.Configuration.Address, _ port: Int, _ scheme: String) -> [String] {
    switch address {
    case .unixSocket(let path): ["unix:" + path]
    case .sockets: ["the sockets of systemd"]
    case .host(let host, _):
      (host == "*" ? RangeServer.Configuration.Address.machineAddresses : [host]).map { host in
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
      }
    }
  }

  /// An origin as browsers send it: `https://viewer.example`, with a port if it is not the scheme's own.
  private static func origin(_ text: String) throws(ToolFailure) -> String {
    guard text != "*", text != "null" else { return text }
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !parts[1].contains("/") else {
      throw .usage(
        "--cors: '\(text)' is no origin: write a scheme and a host, and no slash after it: https://viewer.example")
    }
    // Browsers send both in small letters.
    return text.lowercased()
  }

  /// Parses `127.0.0.1:8080`, `[::1]:8080`, `:8080`, `*:8080`, `unix:/run/rangeio.sock` or `systemd`.
  static func address(_ text: String) throws(ToolFailure) -> RangeServer.Configuration.Address {
    if text == "systemd" {
      do { return try .systemd() } catch { throw ToolFailure("--listen systemd: \(error.message)") }
    }
    if text.hasPrefix("unix:") {
      guard text.utf8.count > 5 else { throw .usage("--listen: write the path of the socket after 'unix:'") }
      return .unixSocket(String(text.dropFirst(5)))
    }
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { throw .usage("--listen: '\(text)' is no address and port: write 127.0.0.1:8080") }
    let host = text[..<colon]
    guard !host.isEmpty else { return .host("*", port: port) }
    let isBracketed = host.first == "[" && host.last == "]"
    guard isBracketed || !host.contains(":") else {
      throw .usage("--listen: write an IPv6 address in brackets: [::1]:8080")
    }
    return .host(String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
  }
}

/// Who may ask for statistics.
enum ServeAdministration: String, CaseIterable, ExpressibleByArgument {
  case local, everyone, nobody

  var choice: RangeServer.Configuration.Administration {
    switch self {
    case .local: .local
    case .everyone: .everyone
    case .nobody: .nobody
    }
  }
}
#endif
