import Foundation

/// The report as it is kept in a directory: `latest.json`, `latest.md` and the plots.
///
/// Of each other kind of processor that the benchmark ran on, its last report is kept too (`latest-amd-epyc.json`), and
/// its goals stand beside those of this run.
struct Publication {
  let report: Report
  let directory: URL

  private static let latest = "latest.json"

  /// Writes everything but the plots. Returns where the JSON is.
  func write() throws -> URL {
    let latest = directory.appendingPathComponent(Self.latest)
    if let previous = try Self.report(at: latest), previous.machine.cpu != report.machine.cpu {
      try FileManager.default.moveItemReplacing(latest, to: file(of: previous.machine))
    }
    let own = file(of: report.machine)
    if FileManager.default.fileExists(atPath: own.path) { try FileManager.default.removeItem(at: own) }
    try report.json().write(to: latest)
    let text = report.markdown(beside: try others())
    try Data(text.utf8).write(to: directory.appendingPathComponent("latest.md"))
    return latest
  }

  /// The last reports of other processors.
  private func others() throws -> [Report] {
    try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("latest-") && $0.pathExtension == "json" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .compactMap(Self.report)
  }

  private func file(of machine: MachineInfo) -> URL {
    let words = machine.cpu.lowercased().split { !$0.isLetter && !$0.isNumber || !$0.isASCII }
    return directory.appendingPathComponent("latest-\(words.joined(separator: "-")).json")
  }

  private static func report(at file: URL) throws -> Report? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
  }
}

extension FileManager {
  /// Moves a file, and replaces what is there.
  fileprivate func moveItemReplacing(_ source: URL, to target: URL) throws {
    if fileExists(atPath: target.path) { try removeItem(at: target) }
    try moveItem(at: source, to: target)
  }
}
