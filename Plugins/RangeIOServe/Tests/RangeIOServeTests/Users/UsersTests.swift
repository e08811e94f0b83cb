#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import Testing

  /// Names and passwords.
  struct UsersTests {
    private static let hash = "$5$rounds=1000$salt$CCvcOM6b7TEJDPb37Aec/9UpOg4QhPNAxPpL9ZzjTB7"
    private static func basic(_ text: String) -> String {
      "Authorization: Basic " + Data(text.utf8).base64EncodedString()
    }

    /// Asks on a connection that stays, and on the same one without a password.
    private func statuses(_ path: String, _ port: Int, _ field: String?) async throws -> [String] {
      let first = "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\(field.map { $0 + "\r\n" } ?? "")\r\n"
      let last = "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let received = try await RawClient.exchange(first + last, port: port)
      return String(decoding: received.bytes, as: UTF8.self).matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
    }

    @Test func `only those with a password are answered, and health is told to all`() async throws {
      let folder = try ServedFolder()
      try folder.write([1, 2], to: "a.bin")
      let log = try AccessLog(folder.path + "/.log")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        // `try!`: the hash is a constant, and the closure cannot throw.
        $0.users = ["anna": try! PasswordHash(Self.hash)]
        $0.allowedOrigins = ["https://site.example"]
        $0.accessLog = log
      } _: { port, _ in
        let right = Self.basic("anna:secret")
        // Twice: the second time it is known.
        for _ in 0..<2 {
          #expect(try await ask("/a.bin", port: port, [right]).body == [1, 2])
          #expect(try await statuses("/a.bin", port, right) == ["200", "401"])
          #expect(try await ask("/-/stats", port: port, [right]).status == 200)
          #expect(try await ask("/a.bin", port: port, [right.replacing("Basic ", with: "BASIC  ")]).status == 200)
          for wrong in [
            [], [Self.basic("anna:secre")], [Self.basic("anna:secrets")], [Self.basic("Anna:secret")],
            [Self.basic("otto:secret")], [Self.basic("anna")], [Self.basic(":")], ["Authorization: Basic %%%"],
            ["Authorization: Bearer secret"], ["Authorization: Basic"],
          ] {
            for path in ["/a.bin", "/", "/none", "/-/stats"] {
              let answer = try await ask(path, port: port, wrong)
              #expect(answer.status == 401, "\(wrong) \(path)")
              #expect(answer.fields["www-authenticate"] == "Basic realm=\"rangeio\", charset=\"UTF-8\"")
            }
            #expect(try await statuses("/a.bin", port, wrong.first) == ["401", "401"])
          }
        }
        #expect(try await ask("/-/healthz", port: port).status == 200)
        let origin = "Origin: https://site.example"
        #expect(try await ask("/a.bin", port: port, method: "OPTIONS", [origin]).status == 204)
      }
      let text = try String(contentsOfFile: folder.path + "/.log", encoding: .utf8)
      #expect(text.contains("127.0.0.1 - anna [") && text.contains("127.0.0.1 - - ["))
      #expect(!text.contains("secre") && !text.contains(Data("anna:secret".utf8).base64EncodedString()))
    }

    @Test(arguments: ["0.0.0.0", "*", "::", "192.0.2.1"])
    func `passwords do not cross a network in the clear`(host: String) async throws {
      let folder = try ServedFolder()
      let error = await #expect(throws: ReadError.self) {
        try await withServer([("", try DirectoryUpstream(folder.path))]) {
          $0.address = .host(host, port: 0)
          // `try!`: the hash is a constant, and the closure cannot throw.
          $0.users = ["anna": try! PasswordHash(Self.hash)]
        } _: { _, _ in
        }
      }
      #expect(error?.code == .invalidConfiguration && error?.message.contains("in the clear") == true)
    }
  }
#endif
