#if S3
  internal import Foundation
  internal import RangeIO

  /// The places that credentials may come from: variables, files, programs and servers nearby. A test passes its own.
  struct Surroundings: Sendable {
    /// A small request to a service that gives credentials.
    struct Request: Equatable, Sendable {
      var method = "GET"
      var url: String
      var headers: [UnsignedRequest.Header] = []
      var body: [UInt8] = []
      /// For the whole exchange.
      var timeout: Duration
      /// `true` for a service of the machine itself, which is asked without a proxy.
      var isLocal: Bool
      /// The file of certificates to trust in place of the system's, if one is named.
      var rootFile: String?
    }

    /// The answer to a ``Request``.
    struct Answer: Equatable, Sendable {
      var status: Int
      /// At most 64 KiB.
      var body: [UInt8]
    }

    /// The variables of the environment.
    var environment: [String: String]
    /// The home directory, which `~` stands for.
    var home: String
    /// The text of a file; `nil` if there is none.
    var file: @Sendable (String) async throws -> String?
    /// Runs a command and returns its output.
    var run: @Sendable (String) async throws -> [UInt8]
    /// Sends a request. Throws if nobody answers in time.
    var send: @Sendable (Request) async throws -> Answer
    /// Seconds since 1970.
    var now: @Sendable () -> Int

    /// The variable called `name`; an empty one counts as none.
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A path whose `~` is replaced.
    func path(_ path: String) -> String { path.hasPrefix("~/") ? home + path.dropFirst() : path }
  }

  extension Surroundings {
    /// The largest file, answer or output that is read, in bytes.
    static let limit = 1 << 20

    /// Those of the process.
    static func process(send: @escaping @Sendable (Request) async throws -> Answer) -> Surroundings {
      let environment = ProcessInfo.processInfo.environment
      return Surroundings(
        environment: environment, home: home(environment) ?? NSHomeDirectory(), file: readFile,
        run: { try await CommandRun($0).output() },
        send: { request in
          var request = request
          request.rootFile = environment["AWS_CA_BUNDLE"].flatMap { $0.isEmpty ? nil : $0 }
          return try await send(request)
        },
        now: { Int(Date().timeIntervalSince1970.rounded(.down)) })
    }

    /// The value of `HOME`, as the AWS tools take it, also where the user's own directory is another: in containers.
    static func home(_ environment: [String: String]) -> String? {
      environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text of the file at `path`, read by a source of files, which blocks no thread of the caller.
    private static func readFile(_ path: String) async throws -> String? {
      // It stands for no file, and no source reads devices.
      if path == "/dev/null" { return "" }
      let reader: RangeReader
      do {
        reader = try await RangeReader(path, cache: nil)
      } catch let error as ReadError where error.code == .notFound {
        return nil
      }
      do {
        guard reader.byteCount <= limit else {
          throw ReadError(
            .limitExceeded, "the file has more than \(limit) bytes, which no file of credentials has", source: path)
        }
        let bytes = try await reader.read(0...)
        await reader.close()
        return String(decoding: bytes, as: UTF8.self)
      } catch {
        await reader.close()
        throw error
      }
    }
  }

#endif
