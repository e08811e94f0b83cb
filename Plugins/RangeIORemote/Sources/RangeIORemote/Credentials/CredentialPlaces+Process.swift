#if HTTP
  internal import Foundation
  internal import RangeIO
  internal import RangeIOSupport
  internal import SystemPackage

  extension CredentialPlaces {
    /// The largest file that is read, in bytes.
    static let limit = 1 << 20
    /// The longest answer of a service, in bytes.
    private static let answerLimit = 65_536
    /// What all sources of the process renew.
    private static let renewals = SharedWork<String, any Sendable>(outlivesWaiters: true)

    /// Those of the process, as they are now.
    ///
    /// - Parameter rootVariable: the variable that names the file of certificates to trust in place of the system's.
    public static func process(rootVariable: String? = nil) -> CredentialPlaces {
      let environment = ProcessInfo.processInfo.environment
      var places = CredentialPlaces(
        environment: environment, home: home(environment) ?? NSHomeDirectory(), file: readFile,
        run: { try await CommandRun($0).output() }, send: sending,
        now: { Int(Date().timeIntervalSince1970.rounded(.down)) })
      places.save = saveFile
      places.renewals = renewals
      guard let rootVariable, let file = places.variable(rootVariable) else { return places }
      return places.trusting(file)
    }

    /// The value of `HOME`, as command-line tools take it, also where the user's own directory is another: in containers.
    static func home(_ environment: [String: String]) -> String? {
      environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Sends a request by the transport.
    public static func sending(_ request: Request) async throws -> Answer {
      var configuration = RemoteConfiguration()
      configuration.proxy = request.isLocal ? .none : request.proxy
      configuration.additionalTrustRoots = request.additionalTrustRoots
      if let rootFile = request.rootFile { configuration.trustRootFile = rootFile }
      let answer = try await SmallExchange.send(
        method: request.method, url: ObjectURL(request.url), fields: request.fields, body: request.body,
        timeout: request.timeout, limit: answerLimit, configuration: configuration)
      return Answer(status: answer.status, fields: answer.fields, body: answer.body)
    }

    /// Writes a new file beside the one at `path`, and renames it: a tool that reads at the same time sees one or the other.
    private static func saveFile(_ path: String, _ bytes: [UInt8]) async throws {
      let new = "\(path).\(UInt32.random(in: 0 ... .max))"
      do {
        let file = try FileDescriptor.open(
          FilePath(new), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll(bytes) }
        guard rename(new, path) == 0 else { throw Errno(rawValue: errno) }
      } catch {
        // `try?`: it may not be there.
        try? FileManager.default.removeItem(atPath: new)
        throw ReadError(.inputOutput, "the file cannot be written: check its directory's permissions", source: path)
      }
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
