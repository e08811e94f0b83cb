#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOServe
  import Testing

  /// What clients of TLS may not agree upon, with a certificate of each kind, as OpenSSL sees it.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: ForeignClient.openssl.isUsable)) struct WeakTLSTests {
    enum Key: String, CaseIterable {
      case rsa = "rsa:2048"
      case ec
    }

    private func withServer(_ key: Key, _ body: (_ port: Int) async throws -> Void) async throws {
      let folder = try ServedFolder()
      let curve = key == .ec ? ["-pkeyopt", "ec_paramgen_curve:prime256v1"] : []
      let made = try await ForeignClient.openssl.run(
        ["req", "-x509", "-newkey", key.rawValue] + curve + [
          "-nodes", "-subj", "/CN=localhost", "-keyout", folder.path + "/.key", "-out", folder.path + "/.certificate",
        ])
      #expect(made.code == 0, "\(made.text)")
      try folder.write(ServedFolder.bytes(100), to: "a.bin")
      let certificate = try ServerCertificate(
        certificatePath: folder.path + "/.certificate", keyPath: folder.path + "/.key")
      try await RangeIOServeTests.withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.certificate = certificate
      } _: { port, _ in
        try await body(port)
      }
    }

    private func connect(
      _ port: Int, _ options: [String], input: String = "", ends: Bool = true
    ) async throws -> ForeignClient.Result {
      try await ForeignClient.openssl.run(
        ["s_client", "-connect", "127.0.0.1:\(port)"] + options, input: input, ends: ends)
    }

    @Test(arguments: Key.allCases) func `old versions are refused by the server`(key: Key) async throws {
      try await withServer(key) { port in
        for version in ["-tls1", "-tls1_1"] {
          // Without the level OpenSSL would not even ask.
          let result = try await connect(port, [version, "-cipher", "ALL:@SECLEVEL=0"])
          #expect(result.code != 0 && result.text.contains("alert protocol version"), "\(version): \(result.text)")
        }
        for version in ["-tls1_2", "-tls1_3"] {
          let result = try await connect(port, [version])
          #expect(result.code == 0 && result.text.contains("TLSv1.\(version.last!), Cipher is "), "\(result.text)")
        }
      }
    }

    /// Keys that are not forgotten, ciphers that do not authenticate, and none.
    @Test(arguments: Key.allCases) func `weak ciphers are refused by the server`(key: Key) async throws {
      let kind = key == .rsa ? "RSA" : "ECDSA"
      try await withServer(key) { port in
        for cipher in [
          "AES128-SHA", "AES256-SHA", "AES128-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384",
          "ECDHE-\(kind)-AES128-SHA", "ECDHE-\(kind)-AES256-SHA", "ECDHE-\(kind)-AES128-SHA256",
          "DHE-RSA-AES128-GCM-SHA256",
          "NULL-SHA256", "AECDH-AES128-SHA",
        ] {
          let result = try await connect(port, ["-tls1_2", "-cipher", cipher + ":@SECLEVEL=0"])
          #expect(result.code != 0 && result.text.contains("alert handshake failure"), "\(cipher): \(result.text)")
        }
        for cipher in ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"] {
          let name = "ECDHE-\(kind)-\(cipher)"
          let result = try await connect(port, ["-tls1_2", "-cipher", name])
          #expect(result.code == 0 && result.text.contains("Cipher is \(name)"), "\(result.text)")
        }
      }
    }

    @Test func `no name need be given, nothing is compressed, and no one begins anew in the middle`() async throws {
      try await withServer(.rsa) { port in
        let nameless = try await connect(port, ["-noservername"])
        #expect(nameless.code == 0 && nameless.text.contains("Compression: NONE"))
        // "R" asks for a second handshake.
        let again = try await connect(port, ["-tls1_2"], input: "R\n", ends: false)
        let rest = again.text.components(separatedBy: "RENEGOTIATING")
        #expect(rest.count == 2 && rest[1].contains(":error:") && !rest[1].contains("Cipher is"), "\(again.text)")
      }
    }

    @Test func `HTTP 2 is agreed upon with those who know it, and others speak HTTP 1_1`() async throws {
      try await withServer(.ec) { port in
        for (offer, chosen) in [("h2,http/1.1", "ALPN protocol: h2"), ("http/1.1", "ALPN protocol: http/1.1")] {
          let result = try await connect(port, ["-alpn", offer])
          #expect(result.code == 0 && result.text.contains(chosen), "\(result.text)")
        }
        for options in [["-alpn", "other"], []] {
          let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          let result = try await connect(port, options + ["-ign_eof"], input: request)
          #expect(result.text.contains("No ALPN negotiated") && result.text.contains("HTTP/1.1 200"), "\(result.text)")
        }
      }
    }

    @Test(.enabled(if: ForeignClient.curl.isUsable)) func `curl reads over HTTP 2`() async throws {
      try await withServer(.ec) { port in
        let knows = try await ForeignClient.curl.run(["--version"])
        guard knows.text.contains("HTTP2") else { return print("skipped: this curl was built without HTTP/2") }
        let place = "https://localhost:\(port)/a.bin"
        let format = "\n%{http_version} %{response_code} %{size_download}"
        for (options, told) in [
          ([], "2 200 100"), (["-r", "10-19"], "2 206 10"), (["-I"], "2 200 0"), (["--http1.1"], "1.1 200 100"),
        ] {
          let result = try await ForeignClient.curl.run(
            ["--http2", "-sk", "-o", "/dev/null", "-w", format] + options + [place])
          #expect(result.code == 0 && result.text.hasSuffix(told), "\(options) \(result.text)")
        }
        // Several at a time over one connection.
        let many = try await ForeignClient.curl.run(
          ["--http2", "-skZ", "-w", "%{http_version} %{num_connects} %{size_download};", "-o", "/dev/null"]
            + [place + "?[1-20]"])
        #expect(many.text.matches(of: /2 [01] 100;/).count == 20, "\(many.text)")
      }
    }
  }
#endif
