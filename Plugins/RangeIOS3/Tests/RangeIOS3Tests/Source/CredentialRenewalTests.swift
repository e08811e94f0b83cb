#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  @testable import RangeIOS3

  /// Every way to get credentials, by the wire, with credentials that end in the middle of reading.
  @Suite(.timeLimit(.minutes(2))) struct CredentialRenewalTests {
    @Test(arguments: CredentialWay.allCases)
    func `credentials that end while a stream is read are replaced`(_ way: CredentialWay) async throws {
      try await StoreScene.with(count: 1 << 20) { scene in
        let services = AWSServices(scene.store)
        try await LyingServer.with { server in
          server.script = ServerScript { services.answer($0.request) }
          var configuration = scene.configuration
          configuration.credentials = .standard
          let source = scene.source(
            "s3://bucket/key", configuration, variables: way.variables(server.origin), files: way.files,
            isPatient: true,
            output: { services.printed() })
          let reader = try await RangeReader(source)
          var place = 0
          for try await piece in reader.stream(0..<1 << 19, chunkSize: .kibibytes(64)) {
            #expect(Array(piece) == StoreScene.content(place..<place + piece.count))
            place += piece.count
          }
          let before = services.count
          scene.store.set { state in
            for number in 1...max(1, before) { state.expired.insert("GIVEN\(number)") }
          }
          for try await piece in reader.stream(1 << 19..<1 << 20, chunkSize: .kibibytes(64)) {
            #expect(Array(piece) == StoreScene.content(place..<place + piece.count))
            place += piece.count
          }
          #expect(place == 1 << 20)
          #expect(services.count > before && before > 0)
          #expect(scene.store.refusals.allSatisfy { $0 == "ExpiredToken" } && !scene.store.refusals.isEmpty)
          #expect(
            scene.server.log.requests.allSatisfy { $0["x-amz-security-token"]?.hasPrefix("hidden token") == true })
          var dumped = ""
          dump(source, to: &dumped)
          dump(reader, to: &dumped)
          for text in [dumped, "\(source)", "\(reader.statistics())", String(reflecting: source)] {
            #expect(!text.contains("hidden"), "\(text)")
          }
          await reader.close()
        }
      }
    }

    @Test(arguments: CredentialWay.allCases, [400, 401, 403, 404, 429, 500, 200])
    func `what a service refuses, or answers oddly, is told without a secret`(_ way: CredentialWay, _ status: Int) async
    {
      let echo = #"{"error": "hidden", "accessToken": "hidden"}<Code>NoSuch</Code><Message>hidden secret</Message>"#
      let scene = Scene(files: way.files, output: echo) { _ in
        CredentialPlaces.Answer(status: status, body: Array(echo.utf8))
      }
      var places = scene.places(way.variables("http://127.0.0.1:1"))
      places.now = { 1_767_323_045 }
      let chain = CredentialsChain(places: places)
      let error = await #expect(throws: ReadError.self) { _ = try await chain.credentials() }
      let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
      for secret in ["hidden", "base secret", "AKIDBASE", "PRIVATE"] { #expect(!text.contains(secret), "\(text)") }
      #expect(text.contains(": "), "\(text)")
    }
  }

#endif
