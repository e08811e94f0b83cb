#if Serve && HTTP
  import Foundation
  import RangeIOHTTPTestServer
  import Testing

  /// A program that others have written: it does not share our mistakes.
  enum ForeignClient: String {
    case openssl, curl

    struct Result {
      var code: Int32
      /// What it said, on both ways.
      var text: String
    }

    private var path: String? {
      (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map { "\($0)/\(rawValue)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether it is installed. Where it is not, says so in a line; where servers are required, so is this.
    var isUsable: Bool {
      if path != nil || RealServer.Kind.areRequired { return true }
      print("skipped: \(rawValue) is not installed (apt-get install \(rawValue))")
      return false
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - input: what it is told.
    ///   - ends: whether that has an end.
    func run(_ arguments: [String], input: String = "", ends: Bool = true) async throws -> Result {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: try #require(path))
      process.arguments = arguments
      let folder = try ServedFolder()
      try folder.write([], to: "out")
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/out"))
      let pipe = Pipe()
      process.standardInput = pipe
      process.standardOutput = output
      process.standardError = output
      let (ended, end) = AsyncStream<Void>.makeStream()
      process.terminationHandler = { _ in end.finish() }
      try process.run()
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      if ends { try pipe.fileHandleForWriting.close() }
      for await _ in ended {}
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out"))
      return Result(code: process.terminationStatus, text: String(decoding: bytes, as: UTF8.self))
    }
  }
#endif
