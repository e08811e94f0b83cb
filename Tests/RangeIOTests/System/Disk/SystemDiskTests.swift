import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct SystemDiskTests {
  private let temporary: TemporaryDirectory
  private let disk = SystemDisk()

  init() throws { temporary = try TemporaryDirectory() }

  private func path(_ name: String) -> FilePath { FilePath(temporary.path(name)) }

  @Test func `a directory is made with those above it, for its owner only`() throws {
    for _ in 0..<2 {
      try disk.makeDirectory(path("a/b/c"))
      for name in ["a", "a/b", "a/b/c"] {
        let status = try disk.openDirectory(path(name)).status()
        #expect(status.kind == .directory)
        #expect(status.mode == 0o700)
        #expect(status.owner == disk.user)
      }
    }
  }

  @Test func `the way to a directory may lead over a link, its end may not`() throws {
    try disk.makeDirectory(path("real"))
    try FileManager.default.createSymbolicLink(atPath: temporary.path("link"), withDestinationPath: "real")
    try disk.makeDirectory(path("link/below"))
    #expect(try disk.openDirectory(path("real")).names() == ["below"])
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try disk.makeDirectory(path("link")) }
    #expect(throws: Errno.self) { try disk.openDirectory(path("link")) }
  }

  @Test func `a link to nothing is not followed`() throws {
    try FileManager.default.createSymbolicLink(atPath: temporary.path("link"), withDestinationPath: "nowhere")
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try disk.makeDirectory(path("link")) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try disk.makeDirectory(path("link/below")) }
    #expect(try disk.openDirectory(path("")).names() == ["link"])
  }

  @Test func `a file is no directory`() throws {
    try write([1], to: temporary.path("file"))
    #expect(throws: Errno.notDirectory) { try disk.makeDirectory(path("file")) }
    #expect(throws: Errno.notDirectory) { try disk.makeDirectory(path("file/below")) }
    #expect(throws: Errno.notDirectory) { try disk.openDirectory(path("file")) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try disk.openDirectory(path("nothing")) }
  }

  @Test func `a directory can be made and opened while others do the same`() async throws {
    let path = path("x/y/z")
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try SystemDisk().makeDirectory(path) } }
      try await group.waitForAll()
    }
    #expect(try disk.openDirectory(path).names().isEmpty)
  }

  #if os(Linux)
    /// A thread may have a umask of its own there.
    @Test func `modes are what they are, whatever the umask`() async throws {
      let top = path("top")
      try disk.makeDirectory(top)
      let modes = try await onThread {
        try haveOwnUmask()
        umask(0o777)
        let disk = SystemDisk()
        try disk.makeDirectory(top.appending("a/b"))
        let directory = try disk.openDirectory(top)
        try directory.makeDirectory("c")
        let file = try directory.create("file")
        try file.write([1])
        return [
          try directory.status(of: "a").mode, try disk.openDirectory(top.appending("a/b")).status().mode,
          try directory.status(of: "c").mode, try file.status().mode,
        ]
      }
      #expect(modes == [0o700, 0o700, 0o700, 0o600])
    }

    /// unshare(CLONE_FS), which the Swift module of the C library leaves out.
    private func haveOwnUmask() throws {
      typealias Unshare = @convention(c) (CInt) -> CInt
      let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
      try #require(unshare(0x200) == 0)
    }

    private func onThread<Result: Sendable>(
      _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Swift.Result(catching: body)) }.start()
      }
    }
  #endif

  #if os(Linux)
    @Test func `a full disk says so`() throws {
      let full = try SystemDisk().openDirectory("/dev").open("full", writing: true)
      #expect(throws: Errno.noSpace) { try full.write([1]) }
    }
  #endif
}
