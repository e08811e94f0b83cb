import CRangeIOSystem
import Foundation
import Testing

/// Files below a directory: in the way of the system, and in that of systems without one.
struct BeneathTests {
  @Test func `both ways find what is within, and nothing else`() throws {
    let folder = NSTemporaryDirectory() + "/rangeio-beneath-\(UUID().uuidString)"
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder + "/root/sub", withIntermediateDirectories: true)
    defer {
      // What stays behind is the system's to clean.
      try? manager.removeItem(atPath: folder)
    }
    try Data([1]).write(to: URL(fileURLWithPath: folder + "/root/sub/a"))
    try Data([2]).write(to: URL(fileURLWithPath: folder + "/outside"))
    try manager.createSymbolicLink(atPath: folder + "/root/sub/in", withDestinationPath: "a")
    try manager.createSymbolicLink(atPath: folder + "/root/out", withDestinationPath: "../outside")
    try manager.createSymbolicLink(atPath: folder + "/root/direct", withDestinationPath: "/etc/passwd")
    try manager.createSymbolicLink(atPath: folder + "/root/link", withDestinationPath: "sub")
    let root = rio_open_readonly(folder + "/root")
    #expect(root >= 0)
    defer { _ = rio_close(root) }

    func opens(_ path: String, byNames: Bool) -> Bool {
      let descriptor = byNames ? rio_open_beneath_by_names(root, path) : rio_open_beneath(root, path)
      guard descriptor >= 0 else { return false }
      _ = rio_close(descriptor)
      return true
    }
    for byNames in [false, true] {
      #expect(opens("sub/a", byNames: byNames))
      #expect(opens("sub", byNames: byNames))
      for path in [
        "../outside", "sub/../../outside", "out", "direct", "/etc/passwd", "none", "sub/none", "sub/a/b", "", "sub//a/",
        String(repeating: "x", count: 300),
      ] {
        #expect(!opens(path, byNames: byNames), "\(path)")
      }
    }
    // No link at all, where the system cannot tell where it leads.
    #expect(!opens("sub/in", byNames: true))
    #expect(!opens("link/a", byNames: true))
    var status = rio_stat()
    #expect(rio_stat_beneath(root, "sub/a", &status) >= 0)
    #expect(status.size == 1)
    #expect(rio_stat_beneath(root, "out", &status) < 0)
  }
}
