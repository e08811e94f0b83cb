import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the figures depend on. No path and no host name: it is published.
struct MachineInfo: Sendable, Codable {
  var date: String
  /// Of the library, if `run.sh` knows it.
  var commit: String
  var system: String
  var swift: String
  var cpu: String
  var cpuCount: Int
  var memoryMiB: Int
  var fileSystem: String

  /// - Parameter path: a file on the file system in question.
  init(path: String) {
    let process = ProcessInfo.processInfo
    date = Date.now.formatted(.iso8601)
    commit = process.environment["BENCHMARK_COMMIT"] ?? "unknown"
    swift = process.environment["BENCHMARK_SWIFT"] ?? "unknown"
    system = Self.kernel()
    cpu = Self.cpuModel()
    cpuCount = process.activeProcessorCount
    memoryMiB = Int(process.physicalMemory >> 20)
    fileSystem = Self.fileSystem(path)
  }

  /// One line for people.
  var summary: String {
    "\(cpuCount) × \(cpu), \(memoryMiB >> 10) GiB, \(system), \(fileSystem), \(swift), commit \(commit), \(date)"
  }

  private static func kernel() -> String {
    var name = utsname()
    guard uname(&name) == 0 else { return "unknown" }
    return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
  }

  /// A C array of characters, which Swift imports as a tuple.
  private static func text<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func cpuModel() -> String {
    #if canImport(Darwin)
      var size = 0
      guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return "unknown" }
      var name = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return "unknown" }
      return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      let line = info.split(separator: "\n").first { $0.hasPrefix("model name") }
      return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    #endif
  }

  private static func fileSystem(_ path: String) -> String {
    #if canImport(Darwin)
      var status = statfs()
      return statfs(path, &status) == 0 ? text(status.f_fstypename) : "unknown"
    #else
      var status = stat()
      guard stat(path, &status) == 0 else { return "unknown" }
      let device = "\((status.st_dev >> 8) & 0xfff):\((status.st_dev & 0xff) | ((status.st_dev >> 12) & 0xfff00))"
      let mounts = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
      // "36 35 98:0 /root /mount options - type source options": the third field, and the first after the dash.
      for mount in mounts.split(separator: "\n") {
        let fields = mount.split(separator: " ")
        guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count
        else { continue }
        return String(fields[dash + 1])
      }
      return "unknown"
    #endif
  }
}
