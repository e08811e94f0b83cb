#if HTTP
  import Foundation
  import RangeIO
  import Testing

  @testable import RangeIORemote

  @Suite(.timeLimit(.minutes(2))) struct CredentialPlacesTests {
    private let places = CredentialPlaces.process()

    private func path() -> String {
      FileManager.default.temporaryDirectory.appending(path: "rangeio-places-\(UUID())").path
    }

    @Test func `HOME is where the files of command-line tools are`() {
      #expect(CredentialPlaces.home(["HOME": "/work"]) == "/work")
      #expect(CredentialPlaces.home(["HOME": ""]) == nil && CredentialPlaces.home([:]) == nil)
    }

    @Test func `an empty file and the null device have no settings`() async throws {
      #expect(try await places.file("/dev/null") == "")
      let path = path()
      defer { unlink(path) }
      try "".write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try await places.file(path) == "")
    }

    @Test func `files are read, missing ones are none, and long ones are refused`() async throws {
      let path = path()
      defer { unlink(path) }
      try "[default]\nkey = A\n".write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try await places.file(path) == "[default]\nkey = A\n")
      #expect(try await places.file(path + "-missing") == nil)
      try Data(count: CredentialPlaces.limit + 1).write(to: URL(fileURLWithPath: path))
      let error = await #expect(throws: ReadError.self) { _ = try await places.file(path) }
      #expect(error?.code == .limitExceeded)
    }

    @Test func `a secret with a line end is told as such, and no service is asked`() async throws {
      let request = CredentialPlaces.Request(
        url: "http://127.0.0.1:1", fields: HeaderFields(["X-Secret": "hidden\r\nX-Evil: 1"]), timeout: .seconds(5),
        isLocal: true)
      let error = await #expect(throws: ReadError.self) { _ = try await CredentialPlaces.sending(request) }
      #expect(error?.code == .permissionDenied && error?.isTransient == false, "\(error as Any)")
      #expect(error.map { $0.message.contains("X-Secret") && !"\($0)".contains("hidden") } == true)
    }

    @Test func `a file is written for its user only, in place of the old one`() async throws {
      let path = path()
      defer { unlink(path) }
      try "old".write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o644)
      try await places.save(path, Array("new".utf8))
      #expect(try await places.file(path) == "new")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let error = await #expect(throws: ReadError.self) { try await places.save("\(path)-missing/a", []) }
      #expect(error?.message.contains("cannot be written") == true)
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      let name = URL(fileURLWithPath: path).lastPathComponent
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(name) }
      #expect(left == [name])
    }

    @Test func `requests trust the certificates that are named`() async throws {
      var places = places
      places.send = { .init(status: 200, body: Array(($0.rootFile ?? "").utf8)) }
      let request = CredentialPlaces.Request(url: "https://h", timeout: .seconds(1), isLocal: false)
      #expect(try await places.trusting("/ca.pem").send(request).body == Array("/ca.pem".utf8))
    }

    @Test func `an empty variable counts as none, and no text shows any`() {
      var places = places
      places.environment = ["A": "hidden", "B": ""]
      #expect(places.variable("A") == "hidden" && places.variable("B") == nil && places.variable("C") == nil)
      var text = "\(places)"
      dump(places, to: &text)
      #expect(!text.contains("hidden"))
    }
  }

#endif
