#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct RedactionTests {
    private static let secrets = [
      "s3cret-password", "s3cret-signature", "s3cret-header", "s3cret-token", "s3cret-user",
    ]

    private func expectClean(_ text: String, _ what: String) {
      for secret in Self.secrets { #expect(!text.contains(secret), "\(what): \(text)") }
    }

    private func dumped(_ value: Any) -> String {
      var text = ""
      dump(value, to: &text)
      return text
    }

    @Test func `no error, name, id or count shows a secret`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.reading
        configuration.headers = [("X-Token", "s3cret-header")]
        configuration.credentials = .bearer("s3cret-token")
        configuration.firstByteTimeout = .seconds(1)
        configuration.idleTimeout = .milliseconds(500)
        configuration.readTimeout = .seconds(2)
        expectClean("\(configuration)" + dumped(configuration), "configuration")
        let query = "?X-Amz-Credential=s3cret-user&X-Amz-Signature=s3cret-signature"
        let url = "http://s3cret-user:s3cret-password@127.0.0.1:\(server.port)\(objectPath)\(query)"
        let source = HTTPSource(url, configuration: configuration)
        let description = try await source.describe()
        expectClean(description.id + description.name + source.name, "description")
        for number in 1...53 {
          guard let answer = NumberedAnswer(rawValue: number) else { continue }
          for variant in 0..<answer.variants {
            server.script = .always(answer, variant: variant)
            do {
              _ = try await source.read(10..<2000, of: description)
            } catch {
              expectClean("\(error)" + dumped(error), "answer \(number)")
            }
          }
        }
        expectClean("\(source.statistics())", "counts")
        await source.close()
      }
    }

    @Test func `a dump of a source or a reader shows no secret`() async throws {
      try await withServer { server in
        var configuration = RemoteConfiguration.test
        configuration.headers = [("X-Token", "s3cret-header")]
        configuration.credentials = .bearer("s3cret-token")
        let query = "?X-Amz-Credential=s3cret-user&X-Amz-Signature=s3cret-signature"
        let url = "http://s3cret-user:s3cret-password@127.0.0.1:\(server.port)\(objectPath)\(query)"
        let reader = try await RangeReader(HTTPSource(url, configuration: configuration))
        _ = try await reader.read(0..<10)
        expectClean("\(reader)" + String(reflecting: reader) + dumped(reader), "reader")
        expectClean(dumped(reader.source), "description")
        let source = HTTPSource(url, configuration: configuration)
        expectClean("\(source)" + String(reflecting: source) + dumped(source), "source")
        #expect(dumped(source).contains(source.name))
        await source.close()
        await reader.close()
      }
    }

    @Test func `a text that is no URL is not repeated with its secrets`() async throws {
      for url in [
        "http//s3cret-user:s3cret-password@host/x", "http://a b:s3cret-password@/?X-Amz-Signature=s3cret-signature",
        // Passwords with characters that end a host.
        "http://u:s3cret-password?b@host/x", "http://u:s3cret-password#b@host/x", "http://u:s3cret-password/b@host/x",
        "http://h:bad/x?u=a@b&sig=s3cret-signature",
      ] {
        let source = HTTPSource(url, configuration: .test)
        let error = try await readError { _ = try await source.describe() }
        expectClean("\(error)" + source.name, "error")
        await source.close()
      }
    }
  }
#endif
