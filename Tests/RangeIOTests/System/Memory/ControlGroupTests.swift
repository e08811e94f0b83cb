import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ControlGroupTests {
  /// The directories that a process of `membership` has its groups in, the nearest first.
  private func directories(_ membership: String, _ mounts: String...) -> [String] {
    let mounts = ControlGroupMount.all(in: KernelText(mounts.joined(separator: "\n")))
    return ControlGroup.all(KernelText(membership), mounts).map(\.directory.string)
  }

  private func unified(_ root: String, _ point: String) -> String {
    "31 23 0:28 \(root) \(point) rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate"
  }
  private func memory(_ root: String, _ point: String, _ controllers: String = "memory") -> String {
    "35 31 0:32 \(root) \(point) rw,relatime - cgroup cgroup rw,\(controllers)"
  }

  @Test func `a group of version 2 comes with all above it`() {
    #expect(
      directories("0::/system.slice/app.service\n", unified("/", "/sys/fs/cgroup"))
        == ["/sys/fs/cgroup/system.slice/app.service", "/sys/fs/cgroup/system.slice", "/sys/fs/cgroup"])
  }

  @Test func `the group of version 1 is that of the controller for memory`() {
    let membership = "9:name=systemd:/x\n4:cpu,memory:/docker/7\n3:cpuset:/y\n2:memoryless:/z\n"
    #expect(
      directories(membership, memory("/", "/cg/cpu", "cpuset"), memory("/", "/cg/memory", "cpu,memory"))
        == ["/cg/memory/docker/7", "/cg/memory/docker", "/cg/memory"])
  }

  @Test func `a system with both versions has groups of both`() {
    #expect(
      directories("4:memory:/a\n0::/b\n", memory("/", "/cg/memory"), unified("/", "/cg/unified"))
        == ["/cg/memory/a", "/cg/memory", "/cg/unified/b", "/cg/unified"])
  }

  @Test func `a mount that shows a part of the tree begins at its root`() {
    let mount = memory("/docker/7", "/sys/fs/cgroup/memory")
    #expect(directories("4:memory:/docker/7\n", mount) == ["/sys/fs/cgroup/memory"])
    #expect(
      directories("4:memory:/docker/7/in\n", mount) == ["/sys/fs/cgroup/memory/in", "/sys/fs/cgroup/memory"])
    #expect(directories("4:memory:/docker/77\n", mount) == [])
    #expect(directories("4:memory:/\n", mount) == [])
  }

  @Test func `in a namespace the root is that of the namespace`() {
    #expect(directories("0::/\n", unified("/", "/sys/fs/cgroup")) == ["/sys/fs/cgroup"])
  }

  @Test func `a mount from above the namespace shows a group above, and what lies beside it if it is named`() {
    #expect(directories("0::/in\n", unified("/../..", "/host")) == ["/host"])
    #expect(directories("0::/../beside/in\n", unified("/..", "/host")) == ["/host/beside/in", "/host/beside", "/host"])
    #expect(directories("0::/in\n", unified("/../beside", "/host")) == [])
  }

  @Test func `a group outside of the namespace is not seen, and no directory above the mount is taken for it`() {
    #expect(directories("0::/../beside\n", unified("/", "/sys/fs/cgroup")) == [])
  }

  @Test func `of several mounts the one that shows most is taken, the last of equals`() {
    let mounts = [unified("/", "/first"), unified("/a", "/part"), unified("/", "/last"), unified("/b", "/other")]
    #expect(directories("0::/a\n", mounts.joined(separator: "\n")) == ["/last/a", "/last"])
  }

  @Test func `blanks and other escaped characters in the table are paths again`() {
    #expect(
      directories("0::/my app/x\n", unified(#"/my\040app"#, #"/mnt/c\134g\040roups"#))
        == [#"/mnt/c\g roups/x"#, #"/mnt/c\g roups"#])
  }

  @Test func `names that are no UTF-8 stay what they are`() throws {
    let group = KernelText(Array("0::/".utf8) + [0xff, 0xfe])
    let mounts = ControlGroupMount.all(in: KernelText(unified("/", "/cg")))
    let directory = try #require(ControlGroup.all(group, mounts).first?.directory)
    #expect(directory.withPlatformString { String(validatingCString: $0) } == nil)
    #expect(directory.removingLastComponent() == "/cg")
  }

  @Test(arguments: [
    "", "\n", "31", "31 23 0:28 / /cg rw", "31 23 0:28 / /cg rw -", "31 23 0:28 / /cg rw cgroup2 cgroup2 rw",
    "31 23 0:28 / /cg rw - tmpfs tmpfs rw", "31 23 0:28 / /cg rw - cgroup cgroup rw,cpu", "- - - - - - - -",
  ])
  func `lines of the table that show no memory or make no sense are passed over`(line: String) {
    #expect(directories("0::/a\n", line) == [])
    #expect(directories("0::/a\n", line, unified("/", "/cg"), line) == ["/cg/a", "/cg"])
  }

  @Test(arguments: ["", "\n", "0:", "0::", ":::", "1::/a", "x", "0:cpu:/a", "4:memory"])
  func `a membership that makes no sense is none, or that in the root`(membership: String) {
    #expect(directories(membership, unified("/", "/cg"), memory("/", "/cgm")).count <= 1)
  }

  @Test func `a path longer than the kernel makes is none`() {
    #expect(directories("0::" + String(repeating: "/a", count: 3000), unified("/", "/cg")) == [])
  }
}

extension KernelText {
  fileprivate init(_ bytes: [UInt8]) { self.init(bytes[...]) }
}
