#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Numbers near their ends, as a server may send them.
  @Suite(.timeLimit(.minutes(5))) struct HostileFieldTests {
    /// An object of zeros that is as long as the server says, in answers of up to 4 MiB.
    private static func zeros(_ size: Int) -> ServerScript {
      ServerScript { context in
        let date = [ServedField("ETag", "\"zeros\""), ServedField("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")]
        guard context.request.method == "GET", let range = context.request.range?.resolved(in: size) else {
          var answer = ScriptedAnswer(200, date + [ServedField("Content-Length", "\(size)")])
          answer.isBodyless = true
          return answer
        }
        let part = range.prefix(4 << 20)
        let last = part.endIndex - 1
        return ScriptedAnswer(
          206,
          date + [
            ServedField("Content-Range", "bytes \(part.startIndex)-\(last)/\(size)"),
            ServedField("Content-Length", "\(part.count)"),
          ], body: [UInt8](repeating: 0, count: part.count)[...])
      }
    }

    @Test(arguments: [Int.max, .max - 1, .max - (1 << 20) + 1, 1 << 62])
    func `an object may be as long as can be said`(_ size: Int) async throws {
      try await LyingServer.with { server in
        server.script = Self.zeros(size)
        let reader = try await RangeReader(
          contentsOf: server.url("/zeros"), configuration: .test, cache: MemoryStore(limit: .mebibytes(8)))
        #expect(reader.byteCount == size)
        for range in [0..<100, size / 2..<size / 2 + 1000, size - 1_000_000..<size, size - 1..<size] {
          #expect(try await reader.read(range) == Bytes([UInt8](repeating: 0, count: range.count)))
        }
        let pieces = try await reader.read([0..<10, size - 10..<size, size / 3..<size / 3 + 10])
        #expect(pieces.map(\.count) == [10, 10, 10])
        // No machine has so much memory.
        await #expect(throws: ReadError.self) { _ = try await reader.read(0..<size) }
        await #expect(throws: ReadError.self) { _ = try await reader.read(1..<size) }
        var streamed = 0
        for try await piece in reader.stream(size - 300_000..<size) { streamed += piece.count }
        #expect(streamed == 300_000)
        await reader.close()
      }
    }

    @Test(arguments: [
      "Age", "Retry-After", "Date", "Last-Modified", "Expires", "Content-Range", "Content-Length", "Cache-Control",
      "Location", "ETag",
    ])
    func `no number in a field ends the process`(_ name: String) async throws {
      let numbers = [
        "0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "99999999999999999999999999",
      ]
      var values = numbers + numbers.map { "max-age=\($0)" } + numbers.map { "bytes 0-\($0)/\($0)" }
      values += numbers.map { "bytes \($0)-\($0)/*" } + numbers.map { "bytes */\($0)" }
      values += [
        "Fri, 31 Dec 9999 23:59:60 GMT", "Mon, 01 Jan 1601 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 GMT",
        "Mon, 99 Jan 2024 99:99:99 GMT", "Mon, 01 Jan 9223372036854775807 00:00:00 GMT",
      ]
      values += numbers.map {
        objectPath + "?X-Amz-Signature=a&X-Amz-Date=99991231T235959Z&X-Amz-Expires=\($0)&Signature=b&Expires=\($0)"
      }
      try await withServer { server in
        let statuses = [200, 206, 302, 416, 429, 503]
        for (index, value) in values.enumerated() {
          // Each value with two of them, unless there is time for all.
          for (place, status) in statuses.enumerated()
          where RunScale.reads > 1000 || (place + index).isMultiple(of: 3) {
            server.script = .honest
            var configuration = RemoteConfiguration.reading
            configuration.idleTimeout = .milliseconds(100)
            configuration.firstByteTimeout = .milliseconds(500)
            try await withSource(server, configuration) { source, description in
              server.script = ServerScript { context in
                guard context.request.query == nil else { return context.honest }
                var answer = context.honest
                answer.status = status
                if status == 302 { answer.fields["Location"] = objectPath + "?moved=1" }
                answer.fields[name] = value
                answer.ending = .close
                return answer
              }
              // It succeeds or fails; that it returns is what counts.
              do { _ = try await source.read(0..<100, of: description) } catch is ReadError {}
              do { _ = try await source.describe() } catch is ReadError {}
            }
          }
        }
      }
    }
  }
#endif
