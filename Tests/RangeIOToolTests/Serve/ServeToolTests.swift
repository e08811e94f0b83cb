#if Tool && Serve && HTTP
import CRangeIOSystem
import Foundation
import NIOCore
import NIOPosix
import RangeIOHTTPTestServer
import SystemPackage
import Testing

@testable import RangeIOTool

/// `rangeio serve`, as a process.
@Suite(.timeLimit(.minutes(5))) struct ServeToolTests {
  @Test func `a directory is served at the root, and one file under its name`() async throws {
    let directory = try TemporaryDirectory()
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
    let name = "a b.bin"
    let file = try directory.file(name, bytes)
    try await withServer([directory(".")]) { port, _ in
      let whole = try await get("/a%20b.bin", port)
      #expect(whole.head.hasPrefix("HTTP/1.1 200"))
      #expect(whole.body == bytes)
      let part = try await get("/a%20b.bin", port, range: "1000-1999")
      #expect(part.head.hasPrefix("HTTP/1.1 206") && part.body == Array(bytes[1000..<2000]))
    }
    try await withServer([file]) { port, _ in
      let part = try await get("/a%20b.bin", port, range: "-5")
      #expect(part.body == Array(bytes.suffix(5)))
      let list = try await get("/?format=json", port)
      #expect(String(decoding: list.body, as: UTF8.self).contains("\"size\":700000"))
    }
  }

  @Test(.enabled(if: LoopDevice.canBeMade, "this user makes no loop devices"), arguments: [[], ["--far"]])
  func `a block device is served as it is at that moment, as it is read`(options: [String]) async throws {
    let directory = try TemporaryDirectory()
    var bytes = noise(1 << 20)
    let device = try LoopDevice(of: try directory.file("disk", bytes))
    let name = "/" + (device.path.split(separator: "/").last ?? "")
    try await withServer([device.path] + options) { port, _ in
      let whole = try await get(name, port)
      #expect(whole.head.hasPrefix("HTTP/1.1 200") && areEqual(whole.body, bytes[...]))
      let head = whole.head.lowercased()
      #expect(!head.contains("\r\netag:") && !head.contains("\r\nlast-modified:"))
      for round in 1...2 as ClosedRange<UInt8> {
        bytes.replaceSubrange(5000..<5010, with: repeatElement(round, count: 10))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: device.path))
        try handle.seek(toOffset: 5000)
        try handle.write(contentsOf: bytes[5000..<5010])
        try handle.close()
        let part = try await get(name, port, range: "4990-5019")
        #expect(part.head.hasPrefix("HTTP/1.1 206") && part.body == Array(bytes[4990..<5020]))
      }
    }
    let read = try await tool("read", device.path, "--range", "4990-5019")
    #expect(read.code == 0 && read.output == Array(bytes[4990..<5020]), "\(read.errors)")
    let info = try await tool("info", device.path)
    #expect(info.code == 0 && String(decoding: info.output, as: UTF8.self).contains("1,048,576 bytes"))
  }

  @Test func `a client is told of a directory, and of what is not served, and what to do`() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory("served/sub"), withIntermediateDirectories: true)
    _ = try directory.file("served/.hidden", [1])
    _ = try directory.file("served/page.html", Array("<p>".utf8))
    try FileManager.default.createSymbolicLink(atPath: directory("served/out"), withDestinationPath: "/etc/passwd")
    try await withServer([directory("served")]) { port, _ in
      let origin = "http://127.0.0.1:\(port)"
      for url in ["/", "/sub/", "/sub"].map({ origin + $0 }) {
        for command in [
          ["read", url], ["info", url], ["read", url, "--suffix", "5"], ["copy", url, directory("copy")],
        ] {
          let result = try await tool(command)
          #expect(result.code == 3 && result.hasOneLineOfErrors && result.output.isEmpty, "\(command): \(result)")
          #expect(result.errors.contains("this is a directory of rangeio serve: name an object in it"))
        }
      }
      for name in ["/.hidden", "/out"] {
        let result = try await tool("read", origin + name)
        #expect(result.code == 3 && result.errors.contains("links out of its directory, are not served"))
      }
      let list = try await tool("read", origin + "/?format=json")
      #expect(list.code == 0 && String(decoding: list.output, as: UTF8.self).contains("page.html"), "\(list.errors)")
      #expect(try await tool("read", origin + "/page.html").output == Array("<p>".utf8))
    }
    #expect(try directory.names == ["served"])
  }

  @Test func `names that were there before get a number, whichever they are`() {
    #expect(ServeUpstreams.distinct(["x", "y", "x", "x", "x-2"]) == ["x", "y", "x-2", "x-3", "x-2-2"])
    // Two names, though Swift's strings are equal.
    let spellings = ServeUpstreams.distinct(["caf\u{e9}", "cafe\u{301}"])
    #expect(spellings.map { Array($0.utf8).count } == [5, 6])
  }

  @Test func `sources with one last name are all served, also where the rest of it may not be shown`() async throws {
    let directory = try TemporaryDirectory()
    for (number, parent) in ["a", "b"].enumerated() {
      try FileManager.default.createDirectory(atPath: directory(parent) + "/x", withIntermediateDirectories: true)
      _ = try directory.file(parent + "/x/f", [UInt8(number)])
    }
    try await LyingServer.with { origin in
      for (number, place) in ["de", "fr"].enumerated() {
        origin.objects.put(ServedObject(count: 100 + number), at: "/country=\(place)/f")
      }
      let urls = ["de", "fr"].map { origin.url("/country=\($0)/") }
      try await withServer([directory("a/x"), directory("b/x/")] + urls) { port, _ in
        for (path, count) in [("/x/f", 1), ("/x-2/f", 1), ("/country%3D/f", 100), ("/country%3D-2/f", 101)] {
          let answer = try await get(path, port)
          #expect(answer.body.count == count, "\(path)")
        }
        let second = try await get("/x-2/f", port)
        #expect(second.body == [1])
      }
    }
  }

  @Test(arguments: ["*:0", ":0"])
  func `all addresses of this machine can be listened to, and are told`(address: String) async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("a.bin", [1, 2, 3])
    try await withServer([directory("."), "--growing"], at: address) { port, _ in
      let answer = try await get("/a.bin", port)
      #expect(answer.body == [1, 2, 3])
    }
  }

  @Test func `objects behind URLs are served through the caches, also from a disk after a restart`() async throws {
    try await LyingServer.with { origin in
      let object = ServedObject(count: 3 << 20)
      origin.objects.put(object, at: "/maps/one")
      let directory = try TemporaryDirectory()
      let arguments = [
        origin.url("/maps/"), "--spill", directory("spill"), "--memory", "8MiB", "--compressed", "2MiB",
      ]
      for run in 1...2 {
        let before = origin.log.bodyBytes
        try await withServer(arguments) { port, _ in
          for _ in 0..<2 {
            let part = try await get("/one", port, range: "100000-2499999")
            #expect(part.head.hasPrefix("HTTP/1.1 206"))
            #expect(areEqual(part.body, object.bytes[100_000..<2_500_000]))
          }
          let absent = try await get("/none", port)
          #expect(absent.head.hasPrefix("HTTP/1.1 404"))
          let metrics = try await get("/-/stats?format=prometheus", port)
          let text = String(decoding: metrics.body, as: UTF8.self)
          for name in ["memory_hits", "compressed_limit", "disk_written", "memory_queue_demoted", "all_memory_bytes"] {
            #expect(text.contains("\nrangeio_store_\(name) "), "\(name)")
          }
        }
        let sent = origin.log.bodyBytes - before
        // What opening brings along, and the words of the 404.
        #expect(run == 1 ? sent >= 2_400_000 && sent < 4_000_000 : sent < 66_000, "run \(run): \(sent) bytes")
      }
    }
  }

  #if S3
  @Test func `of a bucket the present objects are served, and no version that a client names`() async throws {
    try await LyingServer.with { origin in
      origin.objects.put(ServedObject(count: 1_000), at: "/bucket/open/x")
      let options = ["--no-sign", "--endpoint", origin.origin, "--region", "us-east-1"]
      try await withServer(["s3://bucket/open/"] + options) { port, _ in
        let present = try await get("/x", port)
        #expect(present.body.count == 1_000)
        _ = try await get("/x%3Fy=1", port)
        for path in ["/x%3FversionId=null", "/x%3fVERSIONID=1", "/x%3FversionId=1%3FversionId=2"] {
          let old = try await get(path, port)
          #expect(old.head.hasPrefix("HTTP/1.1 404"), "\(path)")
        }
      }
      let asked = Set(origin.log.requests.map(\.target))
      #expect(asked == ["/bucket/open/x", "/bucket/open/x%3Fy%3D1"])
    }
  }
  #endif

  /// `RANGEIO_CONNECTIONS`, or five hundred.
  private static let connections =
    ProcessInfo.processInfo.environment["RANGEIO_CONNECTIONS"].flatMap { Int($0) } ?? 500

  @Test func `connections that are idle cost little memory, and others are answered`() async throws {
    // This process needs a descriptor for each as well.
    rio_raise_descriptor_limit()
    let directory = try TemporaryDirectory()
    _ = try directory.file("a.bin", Array(repeating: 7, count: 1000))
    let group = MultiThreadedEventLoopGroup.singleton
    try await withServer([directory(".")]) { port, process in
      _ = try await get("/a.bin", port)
      let before = Self.residentMemory(process)
      var channels: [any Channel] = []
      // A client has 1,024 of them; each address of this machine's loopback is a client.
      for number in 0..<Self.connections {
        let address = try SocketAddress(ipAddress: "127.0.\(number / 1000).1", port: 0)
        let answered = group.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: group).bind(to: address)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(FirstAnswer(answered))
            }
          }
          .connect(host: "127.0.0.1", port: port).outcome()
        channel.writeAndFlush(ByteBuffer(string: "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"), promise: nil)
        try await answered.futureResult.outcome()
        channels.append(channel)
      }
      let part = try await get("/a.bin", port, range: "0-9")
      #expect(part.body == Array(repeating: 7, count: 10))
      if let before, let after = Self.residentMemory(process) {
        let each = (after - before) / Self.connections
        print("\(Self.connections) idle connections: \(each) bytes each")
        // A sanitizer takes memory of its own.
        #expect(each < 131_072 || Environment.isSanitized)
      }
      for channel in channels { channel.close(promise: nil) }
    }
  }

  @Test(.disabled(if: Environment.isSanitized, "a sanitizer takes memory of its own"))
  func `a client that takes nothing costs what the guide says, and its memory goes back when it leaves`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let file = open(directory("large"), O_CREAT | O_WRONLY, 0o600)
    #expect(ftruncate(file, 256 << 20) == 0 && close(file) == 0)
    let count = 200
    let group = MultiThreadedEventLoopGroup.singleton
    try await withServer([directory(".")]) { port, process in
      func answers() async throws -> Int {
        let text = String(decoding: try await get("/-/stats?format=prometheus", port).body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rangeio_answers ") }
        return try #require(line.flatMap { Int($0.split(separator: " ")[1]) })
      }
      // What the first answers need for good is there.
      for _ in 0..<20 { _ = try await get("/large", port, range: "0-1999999") }
      guard let before = Self.residentMemory(process) else { return }
      var channels: [any Channel] = []
      for _ in 0..<count {
        let answered = group.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: group)
          .channelOption(.autoRead, value: false)
          .channelOption(.socketOption(.so_rcvbuf), value: 4096)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(FirstAnswer(answered))
            }
          }
          .connect(host: "127.0.0.1", port: port).outcome()
        channel.writeAndFlush(ByteBuffer(string: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"), promise: nil)
        channel.read()
        try await answered.futureResult.outcome()
        channels.append(channel)
      }
      #expect(try await answers() == count + 1)
      // Nothing tells that no more is sent: the memory stays the same.
      var (stalled, quiet) = (0, 0)
      while quiet < 50 {
        let now = try #require(Self.residentMemory(process))
        quiet = now == stalled ? quiet + 1 : 0
        stalled = now
        _ = try await answers()
      }
      let each = (stalled - before) / count
      print("\(count) stalled clients: \(each) bytes each")
      #expect(each < 320 * 1024)
      for channel in channels { try await channel.close().outcome() }
      while try await answers() != 1 {}
      // A thread gives it back a moment later.
      while try #require(Self.residentMemory(process)) > before + (stalled - before) / 4 {}
    }
  }

  private static func residentMemory(_ process: ToolProcess) -> Int? {
    // `try?`: other systems tell it elsewhere.
    guard let status = try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
  }

  /// Tells that an answer has begun to arrive.
  private final class FirstAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<Void>

    init(_ promise: EventLoopPromise<Void>) { self.promise = promise }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed() }
    func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
  }

  @Test func `a port that another program has is named, and so is what to do`() async throws {
    let directory = try TemporaryDirectory()
    try await withServer([directory(".")]) { port, _ in
      let result = try await tool(["serve", directory("."), "--listen", "127.0.0.1:\(port)"])
      #expect(result.code == 1)
      #expect(result.errors.contains("127.0.0.1:\(port): address already in use; choose another port"))
    }
  }

  @Test func `a second signal cuts off an answer, and is told by the exit code`() async throws {
    let directory = try TemporaryDirectory()
    let errors = try ReadingEnd()
    _ = try directory.file("large", Array(repeating: 7, count: 64 << 20))
    let process = try ToolProcess(
      ["serve", directory("."), "--listen", "unix:" + directory("socket")], output: 2,
      errors: errors.writing.rawValue)
    try errors.writing.close()
    while let byte = try await errors.read(1).first, byte != UInt8(ascii: "\n") {}
    // A client that takes the beginning of its answer only.
    let group = MultiThreadedEventLoopGroup.singleton
    let answered = group.next().makePromise(of: Void.self)
    let channel = try await ClientBootstrap(group: group)
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(FirstAnswer(answered))
        }
      }
      .connect(unixDomainSocketPath: directory("socket")).outcome()
    channel.writeAndFlush(ByteBuffer(string: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"), promise: nil)
    channel.read()
    try await answered.futureResult.outcome()
    process.send(SIGINT)
    process.send(SIGTERM)
    // The system decides which of them is the second.
    let code = try await process.wait()
    #expect(code == 130 || code == 143)
    channel.close(promise: nil)
    try errors.reading.close()
  }

  @Test func `a disk that cannot be used is told of, and nothing else is lost by it`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("file", Array(repeating: 7, count: 100_000))
    let spill = try directory.file("notes", [1])
    let arguments = [directory("."), "--far", "--spill", spill]
    try await withServer(arguments, says: "serving 1 source at http://127.0.0.1:") { port, _ in
      let whole = try await get("/file", port)
      #expect(whole.head.hasPrefix("HTTP/1.1 200") && whole.body.count == 100_000)
    }
    let result = try await tool(["serve"] + arguments + ["--require-disk"])
    #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains("--spill \(spill): "))
  }

  @Test func `what cannot be served is said in a line`() async throws {
    let directory = try TemporaryDirectory()
    let cases: [([String], Int)] = [
      ([], 2), (["/nonexistent/x"], 3), ([directory("."), "--listen", "8080"], 2),
      ([directory("."), "--listen", "127.0.0.1:99999"], 2), ([directory("."), "--memory", "much"], 2),
      ([directory("."), "--shared", "http://x"], 2), ([directory("."), "--revalidate", "-1"], 2),
      ([directory("."), "--administration", "root"], 2), ([directory("."), directory(".")], 2),
      ([directory("."), "--listen", "203.0.113.1:80"], 1), ([directory("."), "--cors", "viewer.example"], 2),
      (["https://host/file", "--growing"], 2), ([directory("."), "--listen", ":"], 2),
      (["https://"], 2), (["ftp://host/file"], 3),
      ([directory("."), "--spill", directory("spill"), "--memory", "512KiB"], 2),
      ([directory("."), "--spill", directory("spill"), "--memory", "2MiB", "--compressed", "1900KiB"], 2),
    ]
    for (arguments, code) in cases {
      let result = try await tool(["serve"] + arguments)
      #expect(result.code == code, "\(arguments): \(result.errors)")
      #expect(result.hasOneLineOfErrors, "\(arguments): \(result.errors)")
      if arguments == ["/nonexistent/x"] {
        #expect(result.errors.contains("/nonexistent/x: cannot serve it: no such file or directory"))
      }
      if arguments.contains("--spill") {
        #expect(result.errors.contains("of --compressed") && result.errors.contains("leave at least 512KiB"))
      }
    }
  }
}
#endif
