#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Testing

  @testable import RangeIOS3

  /// What is wrong with a listing is told in words.
  @Suite(.timeLimit(.minutes(2))) struct S3ListingFailureTests {
    private func failure(
      _ url: String = "s3://bucket/a", _ change: @escaping @Sendable (inout MiniatureStore.State) -> Void
    ) async throws -> ReadError {
      let error = Mutexed<ReadError?>(nil)
      try await StoreScene.with { scene in
        scene.store.set { $0.names = NamePages(["a1", "a2"]) }
        scene.store.set(change)
        error.value = await #expect(throws: ReadError.self) { _ = try await scene.names(of: scene.listing(url)) }
      }
      return try #require(error.value)
    }

    private static func page(_ text: String) -> ScriptedAnswer {
      ScriptedAnswer(200, text: "<ListBucketResult>\(text)</ListBucketResult>", type: "application/xml")
    }

    @Test func `403 says which permission is missing, and where`() async throws {
      let error = try await failure { $0.answers = [MiniatureStore().error(403, "AccessDenied")] }
      #expect(error.code == .permissionDenied && error.message.contains("s3:ListBucket"))
      #expect(error.source == "s3://bucket/a")
    }

    @Test func `a bucket that is missing is not found`() async throws {
      let error = try await failure { $0.answers = [MiniatureStore().error(404, "NoSuchBucket")] }
      #expect(error.code == .notFound && error.message.contains("NoSuchBucket"))
    }

    @Test(arguments: ["true", "True", "1"])
    func `more names without a token are no end`(isTruncated: String) async throws {
      let error = try await failure { $0.answers = [Self.page("<IsTruncated>\(isTruncated)</IsTruncated>")] }
      #expect(error.code == .invalidResponse && error.message.contains("how to ask"))
    }

    @Test(arguments: [1, 2, 3, 5]) func `pages that lead in a circle end`(length: Int) async throws {
      let pages = (0..<100).map { number in
        Self.page(
          "<IsTruncated>true</IsTruncated><NextContinuationToken>\(number % length)</NextContinuationToken>")
      }
      let error = try await failure { $0.answers = pages }
      #expect(error.code == .invalidResponse && error.message.contains("never end"))
    }

    @Test func `a document that breaks off may be asked for again`() async throws {
      let error = try await failure {
        $0.answers = [ScriptedAnswer(200, text: "<ListBucketResult><Contents><Key>a1</Key></Contents>")]
      }
      #expect(error.isTransient && error.message.contains("breaks off"))
    }

    @Test(arguments: ["<html></html>", "<Other/>", "", "{}", "<ListBucketResult><Contents></ListBucketResult>"])
    func `something else is no listing`(text: String) async throws {
      let error = try await failure { $0.answers = [ScriptedAnswer(200, text: text)] }
      #expect(error.code == .invalidResponse)
    }

    @Test func `names that were not asked for are refused`() async throws {
      let error = try await failure { $0.answers = [Self.page("<Contents><Key>b</Key></Contents>")] }
      #expect(error.message.contains("do not begin"))
    }

    @Test(arguments: ["s3:bucket", "s3://", "s3:///a", "s3://arn:aws:x/y"])
    func `no bucket is no address`(url: String) async throws {
      #expect(try await failure(url) { _ in }.code == .invalidConfiguration)
    }

    @Test func `a cancelled listing ends at once`() async throws {
      try await StoreScene.with { scene in
        // Never answered.
        scene.server.script = ServerScript { _ in
          var answer = ScriptedAnswer(200, text: "x")
          answer.fields["Content-Length"] = "100"
          return answer
        }
        let task = Task { try await scene.names(of: scene.listing("s3://bucket")) }
        await scene.server.log.arrivals.reaches(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
      }
    }
  }

#endif
