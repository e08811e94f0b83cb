/// The proxies that an environment names, as curl reads it: small letters count before capitals. curl does not read
/// `HTTP_PROXY` in capitals at all; here it counts.
///
/// `NO_PROXY` is a list, with commas or spaces: `*`, a host with all hosts below it (`example.com`, `.example.com`), an
/// address, a block of IPv4 addresses (`10.0.0.0/8`), each with a port if wanted.
struct ProxyEnvironment: Hashable, Sendable {
  private let http: String?
  private let https: String?
  private let all: String?
  private let exceptions: [Substring]

  /// The proxies of an environment.
  ///
  /// - Parameter variables: names and values. In a CGI program, which `REQUEST_METHOD` shows, `HTTP_PROXY` does not
  ///   count: there a request sets it (CVE-2016-5385).
  init(_ variables: [String: String]) {
    func value(_ name: String) -> String? {
      let text =
        variables[name]
        ?? (name == "http_proxy" && variables["REQUEST_METHOD"] != nil
          ? nil : variables[name.uppercased()])
      return text.flatMap { $0.isEmpty ? nil : $0 }
    }
    http = value("http_proxy")
    https = value("https_proxy")
    all = value("all_proxy")
    exceptions = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
  }

  /// The proxy for `url`, or `nil`.
  ///
  /// - Throws: `Failure` if the environment names a proxy that cannot be used.
  func proxy(for url: ObjectURL) throws(Failure) -> ProxyServer? {
    guard let text = (url.scheme == .http ? http : https) ?? all else { return nil }
    // A dot at the end says that the name is a whole one; it is the same host.
    let host = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    guard !exceptions.contains(where: { Self.matches($0, host, url.effectivePort) }) else { return nil }
    do { return try ProxyServer(text) } catch {
      throw Failure(
        .invalidURL, "the proxy variables of the environment cannot be used: \(error.text)", isTransient: false)
    }
  }

  /// True if an entry of `NO_PROXY` means this host and port.
  private static func matches(_ entry: Substring, _ host: String, _ port: Int) -> Bool {
    if entry == "*" { return true }
    var name = entry.lowercased()
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      let rest = name[name.index(after: end)...]
      guard rest.isEmpty || rest == ":\(port)" else { return false }
      name = String(name[name.index(after: name.startIndex)..<end])
    } else if name.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = name.firstIndex(of: ":") {
      guard Int(name[name.index(after: colon)...]) == port else { return false }
      name = String(name[..<colon])
    }
    if let slash = name.firstIndex(of: "/") {
      guard let block = address(name[..<slash]), let bits = Int(name[name.index(after: slash)...]),
        (0...32).contains(bits), let host = address(host[...])
      else { return false }
      return bits == 0 || (block ^ host) >> (32 - bits) == 0
    }
    if name.hasPrefix("*.") { name.removeFirst() }
    if name.hasPrefix(".") { name.removeFirst() }
    if name.hasSuffix(".") { name.removeLast() }
    return !name.isEmpty && (host == name || host.hasSuffix("." + name))
  }

  /// An IPv4 address in four parts.
  private static func address(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard let byte = UInt8(part) else { return nil }
      address = address << 8 | UInt32(byte)
    }
    return address
  }
}
