#if HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIORemote

  /// Whom a client trusts over TLS.
  @Suite(.timeLimit(.minutes(5))) struct TrustTests {
    @Test func `SSL_CERT_FILE names the roots`() {
      #expect(RemoteConfiguration.rootFile(in: ["SSL_CERT_FILE": "/etc/ca.pem"]) == "/etc/ca.pem")
      for variables in [["SSL_CERT_FILE": ""], [:]] { #expect(RemoteConfiguration.rootFile(in: variables) == nil) }
    }

    @Test func `the roots of a file are trusted, and a file that cannot be read is an error`() async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("roots-\(UUID().uuidString).pem")
      try Data(TestCertificate.pem.utf8).write(to: file)
      // `try?`: what stays behind is the system's to clean.
      defer { try? FileManager.default.removeItem(at: file) }
      try await withServer(.tls()) { server in
        for (path, says): (String?, String?) in [
          (file.path, nil), (file.path + "x", "cannot be read"), (nil, "not trusted"),
        ] {
          var settings = RemoteConfiguration()
          settings.proxy = .none
          settings.trustRootFile = path
          let object = try RemoteObject(server.url(objectPath), configuration: settings)
          do {
            let size = try await object.describe().byteCount
            #expect(size == 100_000 && says == nil)
          } catch let error as ReadError {
            #expect(says.map { error.message.contains($0) } == true, "\(error)")
          }
          await object.close()
        }
      }
    }
  }
#endif
