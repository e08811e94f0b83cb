#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Numbers near their ends, from the user and from the server.
  @Suite(.timeLimit(.minutes(5))) struct HostileLimitTests {
    @Test(arguments: [RemoteConfiguration.HTTPVersion.http1, .http2])
    func `limits as large as they can be are no limits`(_ version: RemoteConfiguration.HTTPVersion) async throws {
      try await withServer(.tls(http2: version == .http2)) { server in
        for time in [Duration.seconds(Int64.max), .nanoseconds(Int64.max)] {
          var configuration = RemoteConfiguration.test
          configuration.httpVersion = version
          configuration.maxConnectionsPerHost = .max
          configuration.keepAliveTimeout = time
          configuration.connectTimeout = time
          configuration.firstByteTimeout = time
          configuration.idleTimeout = time
          configuration.readTimeout = time
          configuration.prefixLimit = .bytes(.max)
          configuration.minBytesPerSecond = .bytes(.max)
          configuration.blockSize = .bytes(1 << 62)
          try await withSource(server, configuration) { source, description in
            try await expectContent(5..<70_000, of: source, description)
          }
          let url = server.url(objectPath)
          let reader = try await RangeReader(contentsOf: url, configuration: configuration)
          #expect(try await reader.read(5..<70_000) == content(5..<70_000))
          await reader.close()
        }
      }
    }

    /// A server whose object has as many bytes as an `Int` counts.
    private static func immense(_ tag: String?) -> ServerScript {
      ServerScript { context in
        var answer = context.honest
        answer.fields["ETag"] = tag
        answer.fields["Last-Modified"] = nil
        guard let range = context.request.range, case .from(let first, let last?) = range else {
          answer.fields["Content-Length"] = "\(Int.max)"
          return answer
        }
        let end = min(last, Int.max - 1)
        answer.status = 206
        answer.fields["Content-Range"] = "bytes \(first)-\(end)/\(Int.max)"
        let count = min(end - first, 1 << 22) + 1
        answer.fields["Content-Length"] = "\(end - first + 1)"
        answer.body = [UInt8](repeating: 7, count: count)[...]
        return answer
      }
    }

    @Test(arguments: ["\"a\"", nil]) func `an object of the largest size is read at both ends`(_ tag: String?)
      async throws
    {
      try await withServer { server in
        server.script = Self.immense(tag)
        let reader = try await RangeReader(contentsOf: server.url(objectPath), configuration: .test)
        #expect(reader.byteCount == .max)
        for range in [0..<10, Int.max - 10..<Int.max, 1 << 62..<(1 << 62) + 70_000] {
          #expect(try await reader.read(range) == Bytes([UInt8](repeating: 7, count: range.count)))
        }
        #expect(try await reader.read(suffix: 4096).count == 4096)
        for range in [0..<Int.max, 1..<Int.max] {
          await #expect(throws: ReadError.self) { _ = try await reader.read(range) }
        }
        await reader.close()
      }
    }

    @Test func `an object of the largest size may be followed`() async throws {
      try await withServer { server in
        server.script = Self.immense("\"a\"")
        let reader = try await RangeReader(contentsOf: server.url(objectPath), configuration: .test, onChange: .follow)
        #expect(reader.byteCount == .max)
        #expect(try await reader.read(Int.max - 10..<Int.max) == Bytes([UInt8](repeating: 7, count: 10)))
        try await reader.refresh()
        #expect(reader.byteCount == .max)
        await reader.close()
      }
    }

    @Test func `an error does not repeat a tag of 60,000 bytes`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          let tag = String(repeating: "x", count: 60_000)
          server.script = ServerScript { context in
            var answer = context.honest
            if context.honest.status == 206, context.request.method == "GET", context.request["If-Match"] != nil {
              answer.fields["ETag"] = "\"\(tag)\""
            }
            return answer
          }
          let error = try await readError { _ = try await source.read(100..<200, of: description) }
          #expect(error.message.utf8.count < 1_000, "\(error.message.prefix(500))")
        }
      }
    }
  }
#endif
