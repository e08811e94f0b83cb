/// The proxies that an environment names, as curl reads it: small letters count before capitals. curl does not read
/// `HTTP_PROXY` in capitals at all; here it counts.
///
/// `NO_PROXY` is a list, with commas or spaces: `*`, a host with all hosts below it (`example.com`, `.example.com`), an
/// address, each with a port if wanted; or a block of addresses (`10.0.0.0/8`, `fd00::/8`).
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
        let host = address(host[...]), host.count == block.count, (0...8 * host.count).contains(bits)
      else { return false }
      return (0..<bits).allSatisfy { (block[$0 / 8] ^ host[$0 / 8]) & (0x80 >> ($0 % 8)) == 0 }
    }
    // It may be written in several ways.
    if let address = address(name[...]) { return address == Self.address(host[...]) }
    if name.hasPrefix("*.") { name.removeFirst() }
    if name.hasPrefix(".") { name.removeFirst() }
    if name.hasSuffix(".") { name.removeLast() }
    return !name.isEmpty && (host == name || host.hasSuffix("." + name))
  }

  /// The bytes of an IPv4 address in four parts, or of an IPv6 address in hexadecimal digits (RFC 4291, section 2.2).
  private static func address(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 4 {
      let bytes = parts.compactMap { UInt8($0) }
      return bytes.count == 4 ? bytes : nil
    }
    // An empty group stands for as many zeros as are missing. At an end of the text, it has a colon of its own.
    var groups = text.split(separator: ":", omittingEmptySubsequences: false)
    if text.hasPrefix("::") { groups.removeFirst() }
    if text.hasSuffix("::") { groups.removeLast() }
    let gaps = groups.count(where: \.isEmpty)
    guard text.contains("::") ? gaps == 1 && groups.count <= 8 : gaps == 0 && groups.count == 8 else { return nil }
    var bytes: [UInt8] = []
    for group in groups {
      if group.isEmpty {
        bytes += [UInt8](repeating: 0, count: 2 * (9 - groups.count))
      } else {
        guard group.utf8.count <= 4, let number = UInt16(group, radix: 16) else { return nil }
        bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
      }
    }
    return bytes
  }
}
